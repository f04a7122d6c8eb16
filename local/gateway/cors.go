package gateway

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// isPreflight is true for preflight requests that the gateway answers itself, whatever the routes.
func (g *gateway) isPreflight(r *http.Request) bool {
	return g.CORS != nil && r.Method == http.MethodOptions &&
		r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != ""
}

// preflight answers a preflight request; addCORS adds the origin. A disallowed origin gets a 204
// without CORS headers.
func (g *gateway) preflight(r *http.Request) *response {
	a := &response{status: http.StatusNoContent, header: http.Header{}}
	if g.allowedOrigin(r.Header.Get("Origin")) == "" {
		return a
	}
	setList(a.header, "Access-Control-Allow-Methods", g.CORS.AllowMethods)
	setList(a.header, "Access-Control-Allow-Headers", g.CORS.AllowHeaders)
	if g.CORS.MaxAge != 0 {
		a.header.Set("Access-Control-Max-Age", strconv.Itoa(g.CORS.MaxAge))
	}
	return a
}

// addCORS replaces the function's CORS headers by the gateway's, if CORS is configured. Only
// requests with an allowed Origin get them.
func (g *gateway) addCORS(h http.Header, r *http.Request) {
	if g.CORS == nil {
		return
	}
	if !g.isPreflight(r) {
		dropCORS(h)
	}
	origin := g.allowedOrigin(r.Header.Get("Origin"))
	if origin == "" {
		return
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if origin != "*" {
		h.Add("Vary", "Origin")
	}
	if g.CORS.AllowCredentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	setList(h, "Access-Control-Expose-Headers", g.CORS.ExposeHeaders)
}

func dropCORS(h http.Header) {
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			delete(h, name)
		}
	}
}

func setList(h http.Header, name string, values []string) {
	if len(values) > 0 {
		h.Set(name, strings.Join(values, ","))
	}
}

// allowedOrigin returns the value of Access-Control-Allow-Origin: "*", the origin, or "" if it is
// not allowed.
func (g *gateway) allowedOrigin(origin string) string {
	if origin == "" {
		return ""
	}
	if slices.Contains(g.CORS.AllowOrigins, "*") {
		return "*"
	}
	for _, allowed := range g.CORS.AllowOrigins {
		scheme, wild := strings.CutSuffix(allowed, "*")
		if strings.EqualFold(allowed, origin) || wild && strings.HasPrefix(origin, scheme) {
			return origin
		}
	}
	return ""
}
