// Package pullsdynamo keeps the log of pulls in its own table, and their counts in the analytics
// table.
//
// Pulls:
//
//	pulls#<month>   <time>#<id>   a pull, with credential, owner and repository for the indexes, which sort by sk too
//	pull#<id>       once          its marker, so that it counts once; in no index
//
// Each month is a partition. A list of everybody's pulls over the longest allowed span, however few
// there are, needs one query for each of at most fifteen months. The marker is a separate item
// because two lines of one pull differ in their times, and so in sk.
//
// The analytics table. All numbers only increase:
//
//	usage                              <day>         charts, images: the number of pulls; see analyticsdynamo
//	pulls#<kind>#<repository>          <span>        pulls: of this artifact; ranking: artifact#<span>
//	pulls#person#<owner>               <span>        pulls: by this user; ranking: person#<span>
//	pulls#<kind>#<repository>#<day>    <reference>   pulls: of this version or tag
//
// A span is a day, its month and its year: 2026-11-21, 2026-11 and 2026. The index byPulls has the
// artifacts and the users of each span in the order of their pulls, so that the first ones of a
// long period cost a few reads.
//
// The marker, the pull and the counts are one transaction, so the counts always match the log. All
// spans are in UTC.
package pullsdynamo

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

// Store keeps pulls.
type Store struct {
	client    *dynamodb.Client
	pulls     string
	analytics string
}

// New returns a Store in the named tables. A store that only reads needs no analytics table.
func New(client *dynamodb.Client, pullsTable, analyticsTable string) *Store {
	return &Store{client: client, pulls: pullsTable, analytics: analyticsTable}
}

var _ pulls.Store = (*Store)(nil)

const monthLayout = "2006-01"

// shape is the stored form of a pull. Its time is in the sk.
type shape struct {
	PK         string     `dynamodbav:"pk"`
	SK         string     `dynamodbav:"sk"`
	Kind       pulls.Kind `dynamodbav:"kind"`
	Repository string     `dynamodbav:"repository"`
	Reference  string     `dynamodbav:"reference"`
	Digest     string     `dynamodbav:"digest"`
	Credential string     `dynamodbav:"credential"`
	Owner      string     `dynamodbav:"owner"`
	Address    string     `dynamodbav:"address"`
	Client     string     `dynamodbav:"client"`
	PurgeAt    int64      `dynamodbav:"purgeAt"`
}

func partition(at time.Time) string { return "pulls#" + at.UTC().Format(monthLayout) }

func itemOf(p pulls.Pull) items.Map {
	return items.Encode(shape{
		PK: partition(p.At), SK: string(p.Position()), Kind: p.Kind, Repository: p.Repository, Reference: p.Reference,
		Digest: p.Digest, Credential: p.CredentialID, Owner: p.OwnerID, Address: p.Address, Client: p.Client, PurgeAt: purgeAt(p),
	})
}

func markerOf(p pulls.Pull) items.Map {
	marker := items.Key("pull#"+p.ID(), "once")
	marker["purgeAt"] = items.Number(purgeAt(p))
	return marker
}

func purgeAt(p pulls.Pull) int64 { return p.At.Add(pulls.Retention).Unix() }

func pullOf(item items.Map) (pulls.Pull, error) {
	s, err := items.Decode[shape](item)
	at, _ := pulls.Position(s.SK).At()
	return pulls.Pull{
		At: at, Kind: s.Kind, Repository: s.Repository, Reference: s.Reference, Digest: s.Digest,
		CredentialID: s.Credential, OwnerID: s.Owner, Address: s.Address, Client: s.Client,
	}, err
}
