package mediabedrock

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media/mediaprompt"
)

const (
	pdfType      = "application/pdf"
	documentName = "document" // the model reads it, so it is constant and never the word of a stranger
)

// pictureBlocks returns the pictures as content of a message.
func pictureBlocks(pictures []documents.Picture) []types.ContentBlock {
	var blocks []types.ContentBlock
	for _, p := range pictures {
		blocks = append(blocks, pictureBlock(p))
	}
	return blocks
}

func pictureBlock(p documents.Picture) types.ContentBlock {
	if p.MediaType == pdfType {
		return &types.ContentBlockMemberDocument{Value: types.DocumentBlock{
			Name: aws.String(documentName), Format: types.DocumentFormatPdf, Source: &types.DocumentSourceMemberBytes{Value: p.Data},
		}}
	}
	return &types.ContentBlockMemberImage{Value: types.ImageBlock{
		Format: types.ImageFormat(strings.TrimPrefix(p.MediaType, "image/")), Source: &types.ImageSourceMemberBytes{Value: p.Data},
	}}
}

// asPictureError returns ErrDamaged if the service refuses the picture; otherwise it returns err.
func asPictureError(err error) error {
	r, isException := errors.AsType[*exception](err)
	if isException && fault.As(err) == nil && r.code == "ValidationException" && mediaprompt.IsAboutPicture(r.message) {
		return fmt.Errorf("%w (%w)", documents.ErrDamaged, r)
	}
	return err
}
