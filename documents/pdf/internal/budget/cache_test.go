package budget

import "testing"

func TestCacheForgetsAllValuesAboveItsMaximum(t *testing.T) {
	c := NewCache[string](10)
	c.Put(1, "a", 6)
	c.Put(2, "b", 4)
	if v, ok := c.Get(1); !ok || v != "a" {
		t.Errorf("at the maximum: got %q, %v", v, ok)
	}
	c.Put(3, "c", 1)
	_, first := c.Get(1)
	_, second := c.Get(2)
	if v, ok := c.Get(3); first || second || !ok || v != "c" {
		t.Errorf("above the maximum: got %v, %v and %q, %v", first, second, v, ok)
	}
}
