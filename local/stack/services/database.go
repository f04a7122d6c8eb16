package services

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"portside/local/dynamoproxy"
	"portside/local/engines"
)

// database is DynamoDB.
type database struct {
	Config
	proxy    *dynamoproxy.Proxy
	endpoint string // at which all callers reach the engine
}

func (d *database) start(ctx context.Context) error {
	binary, err := Fetch(ctx, d.Folder.Repo, d.Console)
	if err != nil {
		return err
	}
	log, err := d.Folder.CreateLog("dynamodb", d.Lifetime)
	if err != nil {
		return err
	}
	p, err := engines.StartDynamoDB(ctx, engines.DynamoDB{
		Binary: binary,
		DBPath: filepath.Join(d.Folder.Path, databaseFile),
		Log:    log,
	})
	if err != nil {
		return d.explainDamage(err)
	}
	d.Lifetime.Supervise("DynamoDB", p)
	if err := d.explainDamage(engines.CreateTables(ctx, p.Endpoint, d.Deployment.Template().Tables)); err != nil {
		return err
	}
	return d.startProxy(p.Endpoint)
}

// startProxy starts the address at which all callers reach the engine. Like the engine's, it is unpredictable.
func (d *database) startProxy(engine string) error {
	proxy, err := dynamoproxy.New(dynamoproxy.Config{Engine: engine, Delay: d.DynamoDBDelay, Units: d.DynamoDBUnits})
	if err != nil {
		return err
	}
	d.proxy = proxy
	d.endpoint, err = d.Lifetime.ServeOn(engines.RandomLoopbackHost(), "DynamoDB", d.Access.GuardDynamoDB(proxy))
	return err
}

// databaseFile is the name of the DynamoDB engine's file in the data folder.
const databaseFile = "dynamodb.db"

// explainDamage replaces errors of SQLite and the engine about a corrupt file by one line for the
// user.
func (d *database) explainDamage(err error) error {
	if err == nil {
		return nil
	}
	for _, words := range []string{"not a valid SQLite database", "file is not a database", "disk image is malformed"} {
		if strings.Contains(err.Error(), words) {
			return fmt.Errorf("%s is corrupt or not a database: delete %s to start with empty data",
				d.Folder.Relative(filepath.Join(d.Folder.Path, databaseFile)), d.Folder.Relative(d.Folder.Path))
		}
	}
	return err
}

// Fetch installs the DynamoDB engine of a repository if necessary and returns its path. The environment variable
// DYNOXIDE overrides the path.
func Fetch(ctx context.Context, repo string, progress io.Writer) (string, error) {
	return engines.Dynoxide{
		Path:     filepath.Join(repo, ".local", "bin", "dynoxide"),
		Binary:   os.Getenv("DYNOXIDE"),
		Progress: progress,
	}.Install(ctx)
}
