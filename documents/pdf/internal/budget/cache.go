package budget

// Cache keeps values that were made from objects, by object number. It forgets all of them when
// their sizes exceed the maximum, because every value can be made again.
type Cache[V any] struct {
	values  map[int]V
	size    int
	maxSize int
}

// NewCache returns an empty cache.
func NewCache[V any](maxSize int) *Cache[V] {
	return &Cache[V]{values: map[int]V{}, maxSize: maxSize}
}

// Get returns the value of an object.
func (c *Cache[V]) Get(number int) (V, bool) {
	v, ok := c.values[number]
	return v, ok
}

// Put adds a value. Its size has the unit of the maximum.
func (c *Cache[V]) Put(number int, value V, size int) {
	if c.size += size; c.size > c.maxSize {
		clear(c.values)
		c.size = size
	}
	c.values[number] = value
}

// Delete removes a value. Its size still counts until the next Clear.
func (c *Cache[V]) Delete(number int) { delete(c.values, number) }

// Clear removes all values.
func (c *Cache[V]) Clear() {
	clear(c.values)
	c.size = 0
}
