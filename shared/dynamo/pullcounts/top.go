package pullcounts

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"slices"

	"portside/shared/dynamo/items"
)

// Merge returns the first MaxPlaces of the places and the changed ones, of which it takes the pulls.
func Merge(top, changed []Place) []Place {
	isChanged := make(map[string]bool, len(changed))
	for _, p := range changed {
		isChanged[p.Name] = true
	}
	all := slices.DeleteFunc(slices.Clone(top), func(p Place) bool { return isChanged[p.Name] })
	all = slices.DeleteFunc(append(all, changed...), func(p Place) bool { return p.Pulls == 0 })
	slices.SortFunc(all, Place.Compare)
	return all[:min(len(all), MaxPlaces)]
}

// PackTop returns the attribute of the places, compressed: names repeat much of each other.
func PackTop(top []Place) (items.Map, error) {
	var out bytes.Buffer
	compressor, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err == nil {
		err = json.NewEncoder(compressor).Encode(top)
	}
	if err == nil {
		err = compressor.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("pack a ranking: %w", err)
	}
	return items.Map{places: items.Bytes(out.Bytes())}, nil
}

// UnpackTop returns the places of an item; an item that does not exist has none.
func UnpackTop(item items.Map) ([]Place, error) {
	packed, err := bytesOf(item, places)
	if err != nil || packed == nil {
		return nil, err
	}
	var top []Place
	if err := json.NewDecoder(flate.NewReader(bytes.NewReader(packed))).Decode(&top); err != nil {
		return nil, fmt.Errorf("unpack a ranking: %w", err)
	}
	return top, nil
}
