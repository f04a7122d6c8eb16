package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Table implements web.Tabular: a record for each figure, named by its path in the JSON, with its unit and, with compare, the value in the
// other period.
func (d dashboardData) Table() [][]string {
	figures := figuresOf("", reflect.ValueOf(d.Metrics), "")
	if d.Previous == nil {
		return append([][]string{{"metric", "value", "unit"}}, figures...)
	}
	before := figuresOf("", reflect.ValueOf(d.Previous.Metrics), "") // the same figures: maps have all their keys
	for i := range figures {
		figures[i] = append(figures[i], before[i][1])
	}
	return append([][]string{{"metric", "value", "unit", "previous"}}, figures...)
}

// figuresOf returns a record for each number in a value: the name, the number and the unit.
func figuresOf(name string, value reflect.Value, unit string) (records [][]string) {
	switch value.Kind() {
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(value.Type()) {
			if field.Tag.Get("table") == "-" {
				continue
			}
			below := strings.TrimPrefix(name+"."+field.Tag.Get("json"), ".")
			records = append(records, figuresOf(below, value.FieldByIndex(field.Index), field.Tag.Get("unit"))...)
		}
	case reflect.Map:
		counts, _ := value.Interface().(map[string]int64)
		for _, key := range slices.Sorted(maps.Keys(counts)) {
			records = append(records, []string{name + "." + key, fmt.Sprint(counts[key]), unit})
		}
	default:
		number, err := json.Marshal(value.Interface())
		if err != nil {
			panic(fmt.Sprintf("analytics: %s: %v", name, err)) // all figures are finite numbers
		}
		records = append(records, []string{name, string(number), unit})
	}
	return records
}
