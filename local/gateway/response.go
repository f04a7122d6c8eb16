package gateway

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// response is the response to the client.
type response struct {
	status int
	header http.Header
	body   []byte
}

// errorResponse returns the gateway's response for an error, in the format of HTTP APIs.
func errorResponse(status int) *response {
	return &response{
		status: status,
		header: http.Header{"Content-Type": {"application/json"}},
		body:   []byte(`{"message":"` + statusMessage(status) + `"}`),
	}
}

// notReady returns the response for a function that does not compile. It has no counterpart on AWS.
func notReady(mistake string) *response {
	body, _ := json.Marshal(map[string]string{"message": mistake}) // a string always has a JSON form
	return &response{status: http.StatusBadGateway, header: http.Header{"Content-Type": {"application/json"}}, body: body}
}

// statusMessage returns API Gateway's text for a status. For 413 it is the old name.
func statusMessage(status int) string {
	if status == http.StatusRequestEntityTooLarge {
		return "Request Entity Too Large"
	}
	return http.StatusText(status)
}

// write sends the response and returns the number of sent body bytes. It ignores write errors,
// because then the client is gone.
func (a *response) write(w http.ResponseWriter, method string) int {
	maps.Copy(w.Header(), a.header)
	bodyless := a.status == http.StatusNoContent || a.status == http.StatusNotModified
	if !bodyless {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	if bodyless || method == http.MethodHead {
		return 0
	}
	n, _ := w.Write(a.body)
	return n
}

// decode decodes a function's payload. With a statusCode it is a response in format 2.0; any other
// payload, JSON or not, is the body of a 200 response.
func decode(payload []byte) (*response, error) {
	var fields map[string]json.RawMessage
	isObject := json.Unmarshal(payload, &fields) == nil
	if !isObject || fields["statusCode"] == nil {
		return inferResponse(payload), nil
	}
	a := &response{header: http.Header{}}
	// Each step reads only one field, so that the first error names the field.
	for _, step := range []func(map[string]json.RawMessage) error{a.readStatus, a.readHeaders, a.readCookies, a.readBody} {
		if err := step(fields); err != nil {
			return nil, err
		}
	}
	if len(a.body) > 0 && a.header.Get("Content-Type") == "" {
		a.header.Set("Content-Type", "text/plain; charset=utf-8")
	}
	return a, nil
}

func inferResponse(payload []byte) *response {
	body := payload
	var text string
	if json.Unmarshal(payload, &text) == nil && len(payload) > 0 && payload[0] == '"' {
		body = []byte(text)
	}
	return &response{
		status: http.StatusOK,
		header: http.Header{"Content-Type": {"application/json"}},
		body:   body,
	}
}

func (a *response) readStatus(fields map[string]json.RawMessage) error {
	err := json.Unmarshal(fields["statusCode"], &a.status)
	if err != nil || a.status < 200 || a.status > 599 {
		return errors.New("statusCode must be a whole number from 200 to 599")
	}
	return nil
}

func (a *response) readHeaders(fields map[string]json.RawMessage) error {
	var headers map[string]any
	if err := decodeOptional(fields["headers"], &headers); err != nil {
		return errors.New("headers must be an object")
	}
	for name, value := range headers {
		text, err := headerText(value)
		if err != nil {
			return fmt.Errorf("the header %q %w", name, err)
		}
		if !isToken(name) {
			return fmt.Errorf("the header name %q is invalid", name)
		}
		if name = http.CanonicalHeaderKey(name); !isGatewayHeader(name) {
			a.header.Add(name, text)
		}
	}
	return nil
}

// isGatewayHeader is true for headers that only the gateway sets.
func isGatewayHeader(name string) bool {
	return name == "Content-Length" || name == "Date" || name != "Cookie" && slices.Contains(connectionHeaders[:], name)
}

func headerText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		if strings.ContainsFunc(v, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
			return "", errors.New("has a control character in its value")
		}
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", errors.New("must be a string")
}

func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c <= ' ' || c >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, c)
	})
}

func (a *response) readCookies(fields map[string]json.RawMessage) error {
	var all []string
	if err := decodeOptional(fields["cookies"], &all); err != nil {
		return errors.New("cookies must be a list of strings")
	}
	for _, cookie := range all {
		text, err := headerText(cookie)
		if err != nil {
			return fmt.Errorf("a cookie %w", err)
		}
		a.header.Add("Set-Cookie", text)
	}
	return nil
}

func (a *response) readBody(fields map[string]json.RawMessage) error {
	var (
		body   string
		packed bool
	)
	if err := decodeOptional(fields["body"], &body); err != nil {
		return errors.New("body must be a string")
	}
	if err := decodeOptional(fields["isBase64Encoded"], &packed); err != nil {
		return errors.New("isBase64Encoded must be true or false")
	}
	a.body = []byte(body)
	if packed {
		return a.decodeBase64(body)
	}
	return nil
}

func (a *response) decodeBase64(body string) (err error) {
	if a.body, err = base64.StdEncoding.DecodeString(body); err != nil {
		return errors.New("body is not valid base64, but isBase64Encoded is true")
	}
	return nil
}

// decodeOptional does not change into if the field is missing or null.
func decodeOptional(field json.RawMessage, into any) error {
	if field == nil {
		return nil
	}
	return json.Unmarshal(field, into)
}
