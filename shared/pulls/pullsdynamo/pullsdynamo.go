// Package pullsdynamo keeps the log of pulls in its own table, and their counts in the analytics
// table. It has no transactions and no item that every writer updates, so it takes any number of
// pulls at the same time.
//
// The pull table:
//
//	credential#<id>    <minute>#<pull>   a pull, in the indexes byOwner, byCustomer and byRepository; see recorded
//	log#<month>        <time>#<batch>    the pulls of a batch, compressed; <time> is when its last pull was
//	pending#<shard>    <time>#<batch>    a batch that is not counted yet
//	window             window            the number of the last window, and the batches in it
//	check#<check>      <hour>            in which seconds of the hour a tag was checked with a credential; see hour
//
// A pull is its own marker, because its key has all that identifies it. A batch is all pulls of one
// call of Record in the same slot of ten seconds. Its item in the log commits it: the pulls of a
// batch without that item are not in the list of all pulls and are not counted. The pending item is
// written first, so each committed batch is counted.
//
// A pull names its batch. If a pull exists and its batch is not committed, its writer is at work or has
// failed. Record waits for it for a moment, then writes an abandoned batch in its place, so that it can
// no longer be committed, and takes over its pulls. So each pull is in exactly one committed batch.
//
// Most of this also holds for update checks: the first check of an hour is recorded like a pull, but in other
// partitions (checks:credential#<id>, checks:log#<month>, and other keys of the indexes), so that lists of pulls need
// not skip checks. The batch of a check does not count it. Instead, a pending note names the hours with uncounted
// checks.
//
// The analytics table:
//
//	usage                   <day>    charts, images: the number of pulls; checks: of checks; see analyticsdynamo
//	pulls#<name>            <year>   the pulls of an artifact or user by day; see pullcounts
//	top#<ranking>#<span>    top      the first places of a ranking; see pullcounts
//
// A span is a year, a quarter, a month, an ISO week or a day, in UTC. [Store.CountPending] adds the pending batches of
// all writers at once, as a window with a number. Each item keeps the number of its last window and takes no window
// twice, so a window can be repeated after a failure. A ranking is one item, which a window writes once.
package pullsdynamo

import (
	"cmp"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/retry"
	"portside/shared/dynamo/items"
	"portside/shared/pulls"
)

// Store keeps pulls.
type Store struct {
	client    *dynamodb.Client
	pulls     string
	analytics string
	patience  retry.Policy // how long to wait for the batch of another writer
}

// New returns a Store in the named tables. A store that does not count pulls needs no analytics table.
func New(client *dynamodb.Client, pullsTable, analyticsTable string) *Store {
	return &Store{client: client, pulls: pullsTable, analytics: analyticsTable, patience: patience}
}

var _ pulls.Store = (*Store)(nil)

// patience is much longer than a writer at work needs to commit a batch, and short enough to take over
// many batches within the time of one invocation.
var patience = retry.Policy{Attempts: 10, FirstWait: 20 * time.Millisecond, LongestWait: 400 * time.Millisecond}

// maxConcurrentCalls limits the calls that one operation makes at the same time.
const maxConcurrentCalls = 32

const (
	monthLayout  = "2006-01"
	minuteLayout = "2006-01-02T15:04"

	credentialPrefix = "credential#"
	batchPulls       = "pulls" // the compressed pulls of a batch
	abandoned        = "abandoned"
)

// shards is the number of keys in an index for one owner or one repository, so that one that pulls or is pulled all
// the time stays below the limit of a partition.
const shards = "0123"

// recorded is the stored form of a pull. OwnerShard, CustomerShard and RepositoryShard lead the indexes, Position sorts
// them. Pulls of the vendor's staff have no customer, so they are not in that index.
type recorded struct {
	PK              string     `dynamodbav:"pk"`
	SK              string     `dynamodbav:"sk"`
	Position        string     `dynamodbav:"position"`
	OwnerShard      string     `dynamodbav:"ownerShard"`
	CustomerShard   string     `dynamodbav:"customerShard,omitempty"`
	RepositoryShard string     `dynamodbav:"repositoryShard"`
	HeldBy          string     `dynamodbav:"heldBy"` // the batch that has the pull
	Kind            pulls.Kind `dynamodbav:"kind"`
	Reference       string     `dynamodbav:"reference"`
	Digest          string     `dynamodbav:"digest"`
	Address         string     `dynamodbav:"address"`
	Client          string     `dynamodbav:"client"`
	PurgeAt         int64      `dynamodbav:"purgeAt"`
}

func pullKey(p pulls.Pull) (pk, sk string) {
	return listOf(p.IsCheck) + credentialPrefix + p.CredentialID, p.At.UTC().Format(minuteLayout) + "#" + p.ID()
}

func itemOf(p pulls.Pull, batch string) items.Map {
	pk, sk := pullKey(p)
	shard := "#" + shardOf(p.ID())
	list := listOf(p.IsCheck)
	r := recorded{
		PK: pk, SK: sk, Position: string(p.Position()), OwnerShard: list + p.OwnerID + shard,
		RepositoryShard: list + p.Repository + shard,
		HeldBy:          batch, Kind: p.Kind, Reference: p.Reference, Digest: p.Digest, Address: p.Address, Client: p.Client,
		PurgeAt: p.At.Add(pulls.Retention).Unix(),
	}
	if p.CustomerID != "" {
		r.CustomerShard = list + p.CustomerID + shard
	}
	return items.Encode(r)
}

// shardOf returns the shard of a pull's or batch's id.
func shardOf(id string) string {
	return string(shards[crc32.ChecksumIEEE([]byte(id))%uint32(len(shards))])
}

// decodeRecorded returns the pull in an item, and its batch.
func decodeRecorded(item items.Map) (p pulls.Pull, batch string, err error) {
	r, err := items.Decode[recorded](item)
	at, _ := pulls.Position(r.Position).At()
	pk, isCheck := strings.CutPrefix(r.PK, listOf(true))
	return pulls.Pull{
		At: at, Kind: r.Kind, Repository: nameIn(r.RepositoryShard), Reference: r.Reference, Digest: r.Digest,
		CredentialID: strings.TrimPrefix(pk, credentialPrefix), OwnerID: nameIn(r.OwnerShard),
		CustomerID: nameIn(r.CustomerShard),
		Address:    r.Address, Client: r.Client, IsCheck: isCheck,
	}, r.HeldBy, err
}

// nameIn returns the name in a key of an index, without its list and its shard. Names have no #.
func nameIn(key string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(key, listOf(true)), "#")
	return name
}

// sortNewestFirst sorts pulls in the order of the log.
func sortNewestFirst(all []pulls.Pull) {
	slices.SortFunc(all, func(a, b pulls.Pull) int { return cmp.Compare(b.Position(), a.Position()) })
}
