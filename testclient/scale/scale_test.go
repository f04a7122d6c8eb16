package scale

import (
	"fmt"
	"testing"
)

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
		t.Run("SCALE="+c.scale+" SEED="+c.seed, func(t *testing.T) {
			got, err := parse(c.scale, c.seed)
			if got != c.want || (err != nil) != c.fails {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		values      values
		first, step int
	}{{values{1, 1}, 1, 4}, {values{1, 4}, 4, 4}, {values{1, 5}, 1, 4}, {values{2, 4}, 1, 1}} {
		t.Run(fmt.Sprintf("%+v", c.values), func(t *testing.T) {
			if first, step := c.values.every(4); first != c.first || step != c.step {
				t.Errorf("places %d, %d, …", first, first+step)
			}
		})
	}
}
