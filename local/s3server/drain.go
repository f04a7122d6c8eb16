package main

import (
	"io"
	"time"

	"github.com/gofiber/fiber/v3"
)

// drainTimeout bounds the time in which the server reads the rest of a refused body.
const drainTimeout = 30 * time.Second

// readRefusedBodies reads the rest of a body that the server refuses, so that the client gets the error, as from S3.
// versitygw reads only 256 KiB of the rest and then closes the connection. The kernel then resets it, and a client that
// is still sending may never see the response: not the 412 of a conditional write, and not the 403 of a missing
// permission.
func readRefusedBodies(c fiber.Ctx) error {
	defer readRest(c)
	return c.Next()
}

func readRest(c fiber.Ctx) {
	body := c.Request().BodyStream()
	if body == nil || c.Request().Header.ContentLength() <= 0 {
		return // a chunked body cannot be read again after its end
	}
	if conn := c.RequestCtx().Conn(); conn.SetReadDeadline(time.Now().Add(drainTimeout)) == nil {
		_, _ = io.Copy(io.Discard, body) // after an error, versitygw closes the connection
		_ = conn.SetReadDeadline(time.Time{})
	}
}
