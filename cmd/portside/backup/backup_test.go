package backup_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/cmd/portside/backup"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
)

// stored is how many items each table has: several pages of two items, and several parts of a backup.
const stored = 7

// fixture has tables with items of every type of attribute.
type fixture struct {
	*testing.T
	client *dynamodb.Client
	users  string
	pulls  string
	clock  time.Time
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	client := awstest.DynamoDB(t)
	f := &fixture{
		T: t, client: client, users: awstest.Table(t, client, "UsersTable"), pulls: awstest.Table(t, client, "PullsTable"),
		clock: time.Date(2028, 3, 1, 15, 4, 5, 0, time.UTC),
	}
	for i := range stored {
		f.put(f.users, i)
		f.put(f.pulls, i)
	}
	return f
}

// put writes an item.
func (f *fixture) put(table string, n int) {
	f.Helper()
	item := items.Key(fmt.Sprintf("pk%d <&>\u2028", n), "sk")
	item["number"] = &types.AttributeValueMemberN{Value: "-12345678901234567890.12345678901234567"}
	item["bytes"], item["bool"] = items.Bytes([]byte{0, 255, 10}), items.Bool(n%2 == 0)
	item["null"] = &types.AttributeValueMemberNULL{Value: true}
	item["numbers"] = &types.AttributeValueMemberNS{Value: []string{"1", "2.5"}}
	item["texts"] = &types.AttributeValueMemberSS{Value: []string{"a", "b"}}
	item["binaries"] = &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}}
	inner := &types.AttributeValueMemberM{Value: items.Key("x", "y")}
	item["list"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{items.Text(""), inner}}
	if _, err := f.client.PutItem(f.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
		f.Fatal(err)
	}
}

// backup returns a job over a client, with many small parts.
func (f *fixture) backup(client *dynamodb.Client, dir string) *backup.Backup {
	return &backup.Backup{
		Dir: dir, Now: func() time.Time { return f.clock }, Report: func(string, int64) {}, PartBytes: 1,
		Records: []backup.Source{backup.TableData{Client: client, ID: "UsersTable", Table: f.users, PageItems: 2}},
		Others:  []backup.Source{backup.TableData{Client: client, ID: "PullsTable", Table: f.pulls, PageItems: 2}},
	}
}

func (f *fixture) mustBackup(dir string) backup.Manifest {
	f.Helper()
	made, err := f.backup(f.client, dir).Run(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	return made
}

// targets returns empty tables.
func (f *fixture) targets() (tables []backup.TableData) {
	f.Helper()
	for _, id := range []string{"UsersTable", "PullsTable"} {
		tables = append(tables, backup.TableData{Client: f.client, ID: id, Table: awstest.Table(f, f.client, id)})
	}
	return tables
}

// restore restores into tables with another client.
func (f *fixture) restore(client *dynamodb.Client, dir string, tables []backup.TableData) error {
	job := &backup.Restore{Dir: dir, Report: func(string, int64) {}}
	var used []backup.TableData
	for _, table := range tables {
		table.Client = client
		used = append(used, table)
		job.Targets = append(job.Targets, table)
	}
	made, err := backup.Open(dir)
	if err != nil {
		return err
	}
	if err := job.CheckFiles(f.Context(), made); err != nil {
		return err
	}
	run := backup.NewRestoreRun(made.ID)
	if err := job.Run(f.Context(), made, run); err != nil {
		return err
	}
	return backup.Release(f.Context(), used, run)
}

// expectSame fails the test unless the tables have the items of the fixture.
func (f *fixture) expectSame(tables []backup.TableData) {
	f.Helper()
	for i, table := range []string{f.users, f.pulls} {
		want, got := f.items(table), f.items(tables[i].Table)
		if !reflect.DeepEqual(want, got) {
			f.Fatalf("%s has %d items, which are not the %d items of the backup", tables[i].ID, len(got), len(want))
		}
	}
}

// items returns the items of a table by key.
func (f *fixture) items(table string) map[string]items.Map {
	f.Helper()
	found := map[string]items.Map{}
	for _, item := range liststest.Scan(f, f.client, table) {
		found[liststest.Text(item, "pk")] = item
	}
	return found
}

func TestBackupAndRestore(t *testing.T) {
	f := newFixture(t)
	dir := filepath.Join(t.TempDir(), "backup")
	made := f.mustBackup(dir)
	if made.Sets[0].Entries() != stored || made.Sets[1].Entries() != stored || len(made.Sets[0].Parts) < 5 {
		t.Errorf("got %+v", made)
	}
	f.checkFiles(dir, made)
	tables := f.targets()
	if err := f.restore(f.client, dir, tables); err != nil {
		t.Fatal(err)
	}
	f.expectSame(tables)
	if err := f.restore(f.client, dir, tables); err == nil || !strings.Contains(err.Error(), "has items: restore into empty tables") {
		t.Errorf("a second restore: %v", err)
	}
}

// checkFiles checks that the folder has only the files of the backup, for their owner only.
func (f *fixture) checkFiles(dir string, made backup.Manifest) {
	f.Helper()
	want := 1
	for _, set := range made.Sets {
		want += len(set.Parts)
	}
	got := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		info, infoErr := entry.Info()
		if err = errors.Join(err, infoErr); err != nil || entry.IsDir() {
			return err
		}
		got++
		if info.Mode().Perm() != 0o600 {
			f.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil || got != want {
		f.Errorf("the folder has %d files, want %d; %v", got, want, err)
	}
}

func TestInterruptedBackupsContinue(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	want := f.mustBackup(t.TempDir())
	awstest.CrashAtEachCall(false, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
		dir := t.TempDir()
		_, crash := f.backup(crashing(f.client), dir).Run(t.Context())
		if crash == nil {
			return nil
		}
		if _, err := backup.Open(dir); err == nil || !strings.Contains(err.Error(), "no complete backup") {
			t.Errorf("an incomplete backup opens: %v", err)
		}
		got := f.mustBackup(dir)
		f.checkFiles(dir, got)
		for i := range want.Sets {
			if sum(got.Sets[i]) != sum(want.Sets[i]) {
				t.Errorf("%s differs after an interruption", want.Sets[i].Name)
			}
		}
		return crash
	})
}

// sum describes the contents of a set.
func sum(set *backup.Set) string {
	total := map[string]int{}
	for _, part := range set.Parts {
		total[part.Sum] ^= 1
	}
	return fmt.Sprint(set.Entries(), total)
}

func TestInterruptedRestoresContinue(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	dir := t.TempDir()
	f.mustBackup(dir)
	for _, lost := range []bool{false, true} {
		awstest.CrashAtEachCall(lost, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
			tables := f.targets()
			crash := f.restore(crashing(f.client), dir, tables)
			if err := f.restore(f.client, dir, tables); err != nil && !strings.Contains(err.Error(), "has items") {
				t.Fatal(err)
			}
			f.expectSame(tables)
			return crash
		})
	}
}

// The second run begins at each call of the first, for example with a copy of the folder on another machine. The first
// must then not write to tables that the second has completed, which may be in use. Both succeed only if the first had
// completed the restore before.
func TestLaterRunTakesOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	dir := t.TempDir()
	f.mustBackup(dir)
	for at, isReached := 1, true; isReached; at++ {
		tables, calls := f.targets(), 0
		isReached = false
		interleaving := awstest.Faulty(f.client, func(operation string, _ int) error {
			if operation == "PutItem" {
				return nil // the first run may write the items of one part twice
			}
			if calls++; calls == at {
				isReached = true
				if err := f.restore(f.client, dir, tables); err != nil {
					t.Errorf("the second run at call %d: %v", at, err)
				}
			}
			return nil
		})
		err := f.restore(interleaving, dir, tables)
		if refused := err != nil; refused != isReached {
			t.Errorf("the first run at call %d (%v): %v", at, isReached, err)
		}
		if err != nil && !errors.Is(err, backup.ErrTakenOver) && !strings.Contains(err.Error(), "has items") &&
			!strings.Contains(err.Error(), "has begun") {
			t.Errorf("the first run at call %d: %v", at, err)
		}
		f.expectSame(tables)
	}
}

func TestRecordsAreReadAtOneInstant(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	changes := 0
	client := awstest.Faulty(f.client, func(operation string, n int) error {
		if operation == "Scan" && n == 1 { // a page of the users in the first round
			f.put(f.users, 100)
			changes++
		}
		return nil
	})
	dir := t.TempDir()
	made, err := f.backup(client, dir).Run(t.Context())
	if err != nil || changes != 1 || made.Sets[0].Entries() != stored+1 {
		t.Fatalf("%v after %d changes: %+v", err, changes, made)
	}
	f.checkFiles(dir, made)
	busy := t.TempDir()
	client = awstest.Faulty(f.client, func(string, int) error {
		changes++
		f.put(f.users, 99+changes)
		return nil
	})
	if _, err := f.backup(client, busy).Run(t.Context()); !errors.Is(err, backup.ErrChanging) {
		t.Errorf("with changes all the time: %v, want ErrChanging", err)
	}
	if made := f.mustBackup(busy); made.Sets[0].Entries() != int64(stored+changes) {
		t.Errorf("later, the backup has %d users, want %d", made.Sets[0].Entries(), stored+changes)
	}
}

func TestUnusableBackupsAreRefused(t *testing.T) {
	f := newFixture(t)
	dir := t.TempDir()
	made := f.mustBackup(dir)
	manifest := filepath.Join(dir, "manifest.json")
	part := filepath.Join(dir, filepath.FromSlash(made.Sets[1].Parts[0].File))
	for name, c := range map[string]struct {
		path   string
		damage func(text string) string // an empty result removes the file
		want   string
	}{
		"changed byte":  {part, func(s string) string { return s[:len(s)-1] + "?" }, "the backup is damaged: PullsTable/"},
		"short file":    {part, func(s string) string { return s[:len(s)/2] }, "the backup is damaged: PullsTable/"},
		"missing file":  {part, func(string) string { return "" }, "the backup is incomplete"},
		"no manifest":   {manifest, func(string) string { return "" }, "no complete backup"},
		"newer layout":  {manifest, func(s string) string { return strings.Replace(s, `"layout": 1`, `"layout": 2`, 1) }, "The data has layout 2"},
		"newer format":  {manifest, func(s string) string { return strings.Replace(s, `"format": 1`, `"format": 2`, 1) }, "the backup has format 2"},
		"not JSON":      {manifest, func(s string) string { return s[1:] }, "manifest.json"},
		"missing table": {manifest, func(s string) string { return reseal(t, strings.ReplaceAll(s, `"name": "PullsTable"`, `"name": "x"`)) }, "does not have PullsTable"},
		"outside":       {manifest, func(s string) string { return reseal(t, strings.ReplaceAll(s, `"PullsTable/`, `"../PullsTable/`)) }, "which is not in the backup"},
		"null set":      {manifest, func(s string) string { return reseal(t, strings.Replace(s, `"sets": [`, `"sets": [null,`, 1)) }, "the backup is damaged"},
		"lost part":     {manifest, func(s string) string { return withoutFirstPart(t, s) }, "the backup is damaged: manifest.json"},
	} {
		t.Run(name, func(t *testing.T) {
			intact, err := os.ReadFile(c.path)
			if err != nil {
				t.Fatal(err)
			}
			f.write(c.path, c.damage(string(intact)))
			tables := f.targets()
			if err := f.restore(f.client, dir, tables); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			for _, table := range tables {
				if n := len(liststest.Scan(t, f.client, table.Table)); n > 0 {
					t.Errorf("%s has %d items", table.ID, n)
				}
			}
			f.write(c.path, string(intact))
		})
	}
}

// reseal gives an edited manifest the right checksum.
func reseal(t *testing.T, text string) string {
	t.Helper()
	var m backup.Manifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	m.SHA256 = ""
	sum := sha256.Sum256(marshal(t, m))
	m.SHA256 = hex.EncodeToString(sum[:])
	return string(marshal(t, m))
}

func withoutFirstPart(t *testing.T, text string) string {
	t.Helper()
	var m backup.Manifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	m.Sets[0].Parts = m.Sets[0].Parts[1:]
	return string(marshal(t, m))
}

func marshal(t *testing.T, m backup.Manifest) []byte {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// write replaces a file, or removes it if the text is empty.
func (f *fixture) write(path, text string) {
	f.Helper()
	err := os.WriteFile(path, []byte(text), 0o600)
	if text == "" {
		err = os.Remove(path)
	}
	if err != nil {
		f.Fatal(err)
	}
}

func TestUnusableTargetsAreRefused(t *testing.T) {
	f := newFixture(t)
	dir, other := t.TempDir(), t.TempDir()
	f.mustBackup(dir)
	f.mustBackup(other)
	used := f.targets()
	f.put(used[1].Table, 1)
	if err := f.restore(f.client, dir, used); err == nil || !strings.Contains(err.Error(), used[1].Table+" has items") {
		t.Errorf("with an item: %v", err)
	}
	if n := len(liststest.Scan(t, f.client, used[0].Table)); n > 0 {
		t.Errorf("the other table has %d items", n)
	}
	claimed := f.targets()
	crash := errors.New("crashed")
	failing := awstest.Faulty(f.client, func(operation string, n int) error {
		if operation == "PutItem" && n > 5 {
			return crash
		}
		return nil
	})
	if err := f.restore(failing, dir, claimed); !errors.Is(err, crash) {
		t.Fatal(err)
	}
	if err := f.restore(f.client, other, claimed); err == nil || !strings.Contains(err.Error(), "has items") {
		t.Errorf("another backup into claimed tables: %v", err)
	}
	source := f.backup(f.client, t.TempDir())
	source.Records = []backup.Source{claimed[0]}
	if _, err := source.Run(t.Context()); !errors.Is(err, backup.ErrIncomplete) {
		t.Errorf("a backup of a claimed table: %v", err)
	}
	f.overwrite(claimed[1].Table)
	if err := f.restore(f.client, dir, claimed); err == nil || !strings.Contains(err.Error(), "got other items during the restore") {
		t.Errorf("with a foreign item: %v", err)
	}
}

// overwrite puts an item with the key of an item of the backup.
func (f *fixture) overwrite(table string) {
	f.Helper()
	item := items.Key("pk2 <&>\u2028", "sk")
	if _, err := f.client.PutItem(f.Context(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
		f.Fatal(err)
	}
}

func TestUnusableFoldersAreRefused(t *testing.T) {
	f := newFixture(t)
	complete, foreign, old := t.TempDir(), t.TempDir(), t.TempDir()
	f.mustBackup(complete)
	f.write(filepath.Join(foreign, "x"), "x")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := f.backup(f.client, old).Run(stopped); err == nil {
		t.Fatal("a canceled backup is complete")
	}
	f.clock = f.clock.Add(25 * time.Hour)
	for dir, want := range map[string]string{
		complete: "has a complete backup", foreign: "has other files", old: "too old to continue",
		filepath.Join(foreign, "x"): "not a directory",
	} {
		if _, err := f.backup(f.client, dir).Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestFilesHaveTheFormOfExports(t *testing.T) {
	f := newFixture(t)
	lines, _, err := backup.TableData{Client: f.client, Table: f.users}.Page(t.Context(), 0, "")
	if err != nil || len(lines) == 0 {
		t.Fatal(err)
	}
	var line struct {
		Item map[string]map[string]any
	}
	if err := json.Unmarshal(lines[0], &line); err != nil || line.Item["sk"]["S"] != "sk" || line.Item["bytes"]["B"] != "AP8K" {
		t.Errorf("%v: %.300s", err, lines[0])
	}
}
