package mediatest_test

import (
	"bytes"
	"errors"
	"image"
	"image/gif"
	"image/png"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/textract"
	"github.com/aws/aws-sdk-go-v2/service/textract/types"

	"portside/shared/lambda/awshttp"
	"portside/shared/testkit/mediatest"
)

// newTextract returns a server and the SDK's client of it.
func newTextract(t *testing.T) (*mediatest.Textract, *textract.Client) {
	t.Helper()
	server := mediatest.StartTextract(t)
	return server, textract.NewFromConfig(aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(server.URL), RetryMaxAttempts: 1, HTTPClient: awshttp.New(),
		Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "secret", ""),
	})
}

func grayPNG(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The SDK's client understands the answers: a page, its lines and their words.
func TestTextractAnswersTheSDK(t *testing.T) {
	server, client := newTextract(t)
	picture := grayPNG(t, 90, 90)
	server.SetPictureText("image/png", picture, "Total due\t12 EUR\nPaid")
	server.SetConfidence("12", 40)
	out, err := client.DetectDocumentText(t.Context(),
		&textract.DetectDocumentTextInput{Document: &types.Document{Bytes: picture}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range out.Blocks {
		got = append(got, string(b.BlockType)+" "+aws.ToString(b.Text))
		if b.Geometry == nil || b.Geometry.BoundingBox == nil || len(b.Geometry.Polygon) != 4 || aws.ToString(b.Id) == "" {
			t.Errorf("the block %q has no place or no ID", aws.ToString(b.Text))
		}
		if isDoubtful := aws.ToFloat32(b.Confidence) == 40; isDoubtful != (aws.ToString(b.Text) == "12") {
			t.Errorf("%q has the confidence %v", aws.ToString(b.Text), aws.ToFloat32(b.Confidence))
		}
	}
	want := []string{"PAGE ", "LINE Total due", "LINE 12 EUR", "LINE Paid", "WORD Total", "WORD due", "WORD 12",
		"WORD EUR", "WORD Paid"}
	if !slices.Equal(got, want) || len(out.Blocks[0].Relationships) != 1 || len(out.Blocks[0].Relationships[0].Ids) != 3 {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The server refuses the pictures that the service refuses, with the same exceptions.
func TestTextractRefusesPictures(t *testing.T) {
	var animation bytes.Buffer
	if err := gif.Encode(&animation, image.NewGray(image.Rect(0, 0, 9, 9)), nil); err != nil {
		t.Fatal(err)
	}
	whole := grayPNG(t, 90, 90)
	isA := map[string]func(error) bool{
		"unsupported": func(err error) bool { _, ok := errors.AsType[*types.UnsupportedDocumentException](err); return ok },
		"bad":         func(err error) bool { _, ok := errors.AsType[*types.BadDocumentException](err); return ok },
		"too large":   func(err error) bool { _, ok := errors.AsType[*types.DocumentTooLargeException](err); return ok },
	}
	for _, test := range []struct {
		name, want string
		data       []byte
	}{
		{"GIF", "unsupported", animation.Bytes()},
		{"text", "unsupported", []byte("Total: 12")},
		{"cut short", "bad", whole[:len(whole)-20]},
		{"too many pixels", "bad", grayPNG(t, 10_001, 2)},
		{"too many bytes", "too large", make([]byte, 10<<20+1)},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, client := newTextract(t)
			_, err := client.DetectDocumentText(t.Context(),
				&textract.DetectDocumentTextInput{Document: &types.Document{Bytes: test.data}})
			if !isA[test.want](err) {
				t.Errorf("%s: error %v, want %s", test.name, err, test.want)
			}
		})
	}
}
