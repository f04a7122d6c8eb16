// Command indeximages is the Lambda function that records which versions of images contain which digests. It handles
// each push and deletion in the registry. Once a day, it also indexes all tags, in case an event was lost.
package main

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecr"

	"portside/shared/dynamo/items"
	"portside/shared/images"
	"portside/shared/images/imagesdynamo"
	"portside/shared/images/imagesecr"
	"portside/shared/lambda/awsenv"
	"portside/shared/lambda/start"
)

func main() { start.Events(build) }

func build(settings *start.Settings) (any, error) {
	cfg := awsenv.Config(settings)
	registry := imagesecr.NewRegistry(imagesecr.New(ecr.NewFromConfig(cfg), time.Now),
		settings.String("IMAGE_REPOSITORIES"))
	versions := imagesdynamo.New(items.Client(cfg), settings.String("IMAGE_VERSIONS_TABLE"), time.Now)
	return handler{
		indexer:  images.Indexer{Versions: versions, Read: imagesecr.NewManifests(registry, time.Now).Read},
		registry: registry, now: time.Now,
	}.handle, nil
}
