package main

import (
	"encoding/xml"
	"net/http"

	"github.com/gofiber/fiber/v3"
	"github.com/versity/versitygw/s3api/utils"
)

// refuseTwoSignatures rejects requests that have both a presigned URL and an Authorization header,
// as S3 does. versitygw accepts them, so a client that sends its credentials along with a redirect
// would work here and fail in the cloud.
func refuseTwoSignatures(c fiber.Ctx) error {
	header := c.Get(fiber.HeaderAuthorization)
	query := c.Request().URI().QueryArgs()
	if header == "" || !query.Has("X-Amz-Algorithm") && !query.Has("Signature") {
		return c.Next()
	}
	return refuse(c, invalidArgument{
		Message: "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, " +
			"Signature query string parameter or the Authorization header should be specified",
		ArgumentName: fiber.HeaderAuthorization, ArgumentValue: header,
	})
}

func refuse(c fiber.Ctx, reason invalidArgument) error {
	reason.Code = invalidCode
	reason.RequestID, reason.HostID = utils.EnsureRequestIDs(c)
	body, err := xml.Marshal(reason)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationXML)
	return c.Status(http.StatusBadRequest).Send(append([]byte(xml.Header), body...))
}

const invalidCode = "InvalidArgument"

type invalidArgument struct {
	XMLName                     xml.Name `xml:"Error"`
	Code, Message               string
	ArgumentName, ArgumentValue string
	RequestID                   string `xml:"RequestId"`
	HostID                      string `xml:"HostId"`
}
