package main

import (
	"reflect"
	"strings"
	"testing"
)

func TestFailuresAreRead(t *testing.T) {
	const log = `ok  	portside/a	0.1s
--- FAIL: TestOne (0.00s)
    --- FAIL: TestOne/part (0.00s)
        x_test.go:3: wrong
--- FAIL: TestTwo (0.00s)
FAIL
FAIL	portside/b/c	0.2s
WARNING: DATA RACE
--- FAIL: TestRace (0.00s)
FAIL	portside	0.3s
FAIL	portside/local/d [build failed]
--- FAIL: the tests of local/e leave processes: sleep
FAIL	portside/local/e	0.1s
FAIL
`
	got, err := readFailures(strings.NewReader(log))
	want := []failure{
		{"b/c", []string{"TestOne", "TestTwo"}, false}, {".", []string{"TestRace"}, true}, {"local/d", nil, false}, {"local/e", nil, false},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, %v; want %+v", got, err, want)
	}
}
