package dynamoproxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Units are the capacity units that a call consumed, by table. The units of a table include those of its indexes.
type Units struct {
	Read  map[string]float64 `json:"read,omitempty"`
	Write map[string]float64 `json:"write,omitempty"`
}

// consumed is how the engine reports the units of one table.
type consumed struct {
	TableName     string
	CapacityUnits float64
}

// askForUnits adds to a call that the engine shall report the consumed units. Callers ignore that part of the answer.
func askForUnits(body []byte) []byte {
	var call map[string]json.RawMessage
	if err := json.Unmarshal(body, &call); err != nil {
		return body // the engine reports the error
	}
	if _, asks := call["ReturnConsumedCapacity"]; asks {
		return body
	}
	call["ReturnConsumedCapacity"] = json.RawMessage(`"TOTAL"`)
	changed, err := json.Marshal(call)
	if err != nil {
		return body
	}
	return changed
}

// takeUnits reads the units from an answer, which the caller still gets.
func takeUnits(operation string, response *http.Response) (Units, error) {
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return Units{}, fmt.Errorf("read the engine's answer: %w", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	var answer struct{ ConsumedCapacity json.RawMessage }
	if err := json.Unmarshal(body, &answer); err != nil || len(answer.ConsumedCapacity) == 0 {
		return Units{}, nil //nolint:nilerr // an answer without units is passed on unchanged
	}
	var tables []consumed
	if answer.ConsumedCapacity[0] != '[' {
		answer.ConsumedCapacity = append(append([]byte("["), answer.ConsumedCapacity...), ']')
	}
	if err := json.Unmarshal(answer.ConsumedCapacity, &tables); err != nil {
		return Units{}, fmt.Errorf("decode the consumed units: %w", err)
	}
	return unitsOf(operation, tables), nil
}

func unitsOf(operation string, tables []consumed) Units {
	byTable := map[string]float64{}
	for _, c := range tables {
		byTable[c.TableName] += c.CapacityUnits
	}
	if operation == "Query" || operation == "Scan" || strings.Contains(operation, "Get") {
		return Units{Read: byTable}
	}
	return Units{Write: byTable}
}
