package main

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Table implements web.Tabular: a record for each figure, named by its path in the JSON, with its unit and, with
// compare, the value in the other period.
func (d dashboardData) Table() [][]string {
	figures := figuresOf("", reflect.ValueOf(d.Metrics), "")
	if d.Previous == nil {
		return append([][]string{{"metric", "value", "unit"}}, figures...)
	}
	before := map[string]string{}
	for _, figure := range figuresOf("", reflect.ValueOf(d.Previous.Metrics), "") {
		before[figure[0]] = figure[1]
	}
	for i, figure := range figures {
		figures[i] = append(figure, before[figure[0]])
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
		keys := value.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			records = append(records, figuresOf(name+"."+key.String(), value.MapIndex(key), unit)...)
		}
	case reflect.Int64:
		records = append(records, []string{name, strconv.FormatInt(value.Int(), 10), unit})
	case reflect.Float64:
		records = append(records, []string{name, strconv.FormatFloat(value.Float(), 'f', -1, 64), unit})
	default:
		panic("analytics: " + name + " is not a number; give it the tag table:\"-\"") // a defect, which the tests of the dashboard find
	}
	return records
}
