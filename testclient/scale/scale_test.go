package scale

import "testing"

func TestParse(t *testing.T) {
	for _, c := range []struct {
		scale, seed string
		want        values
		fails       bool
	}{
		{"", "", values{1, 1}, false},
		{"40", "18446744073709551615", values{40, 18446744073709551615}, false},
		{"0", "", values{}, true},
		{"1.5", "", values{}, true},
		{"", "0", values{}, true},
		{"", "abc", values{}, true},
		{"70000", "", values{}, true},
	} {
		got, err := parse(c.scale, c.seed)
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("SCALE=%q SEED=%q: %+v, %v", c.scale, c.seed, got, err)
		}
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		values      values
		first, step int
	}{{values{1, 1}, 1, 4}, {values{1, 4}, 4, 4}, {values{1, 5}, 1, 4}, {values{2, 4}, 1, 1}} {
		if first, step := c.values.every(4); first != c.first || step != c.step {
			t.Errorf("%+v: places %d, %d, …", c.values, first, first+step)
		}
	}
}
