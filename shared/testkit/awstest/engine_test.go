package awstest

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// childVariable is set in the test binary that TestEngineEndsWithItsBinary starts.
const childVariable = "AWSTEST_CHILD"

func TestEngineEndsWithItsBinary(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		address, err := sharedEngine()
		_, _ = fmt.Fprintln(os.Stdout, "engine", address, err)
		select {} // until killed
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), childVariable+"=1")
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	address := engineOf(bufio.NewScanner(output))
	conn, dialErr := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = child.Wait() // returns that it was killed
	if dialErr != nil {
		t.Fatalf("the child's engine at %q is not reachable: %v", address, dialErr)
	}
	awaitEnd(t, conn)
}

func engineOf(lines *bufio.Scanner) string {
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) > 1 && fields[0] == "engine" {
			return fields[1]
		}
	}
	return ""
}

// awaitEnd waits until the engine closes the connection, which it does when it is killed.
func awaitEnd(t *testing.T, conn net.Conn) {
	if n, err := conn.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d bytes from an engine that should have ended", n)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}

func TestMissingEngineErrorIsOneLine(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/template.yaml", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DYNOXIDE", "")
	t.Chdir(dir)
	_, err := startEngine()
	if err == nil || !strings.Contains(err.Error(), "make engines") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error = %v, want one line that names `make engines`", err)
	}
}

func TestEngineStartErrorHasExitStatus(t *testing.T) {
	t.Setenv("DYNOXIDE", "/bin/false")
	if _, err := startEngine(); err == nil || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("error = %v, want the engine's exit status", err)
	}
}

const templateWithIndexes = `
Resources:
  Function:
    Type: AWS::Serverless::Function
    Properties: { Role: !GetAtt Role.Arn, Name: !Sub "${AWS::Region}-x", List: !Split [",", a] }
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "${AWS::StackName}-table"
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - { AttributeName: pk, AttributeType: S }
        - { AttributeName: sk, AttributeType: N }
        - { AttributeName: at, AttributeType: B }
      KeySchema: [{ AttributeName: pk, KeyType: HASH }, { AttributeName: sk, KeyType: RANGE }]
      GlobalSecondaryIndexes:
        - IndexName: by-time
          KeySchema: [{ AttributeName: at, KeyType: HASH }]
          Projection: { ProjectionType: INCLUDE, NonKeyAttributes: [name] }
      LocalSecondaryIndexes:
        - IndexName: by-at
          KeySchema: [{ AttributeName: pk, KeyType: HASH }, { AttributeName: at, KeyType: RANGE }]
          Projection: { ProjectionType: KEYS_ONLY }
`

func TestTableHasIndexesOfTheTemplate(t *testing.T) {
	resources, err := parseResources([]byte(templateWithIndexes))
	if err != nil {
		t.Fatal(err)
	}
	definition, err := tableIn(resources, "Table")
	if err != nil {
		t.Fatal(err)
	}
	client, name := DynamoDB(t), "with-indexes-"+rand.Text()
	if _, err := client.CreateTable(t.Context(), definition.input(name)); err != nil {
		t.Fatal(err)
	}
	out, err := client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		t.Fatal(err)
	}
	global, local := out.Table.GlobalSecondaryIndexes, out.Table.LocalSecondaryIndexes
	if len(global) != 1 || *global[0].IndexName != "by-time" || global[0].Projection.NonKeyAttributes[0] != "name" {
		t.Errorf("global indexes = %+v", global)
	}
	if len(local) != 1 || *local[0].IndexName != "by-at" || len(local[0].KeySchema) != 2 {
		t.Errorf("local indexes = %+v", local)
	}
}

func TestParseTableErrorsNameTheResource(t *testing.T) {
	resources, err := parseResources([]byte(templateWithIndexes))
	if err != nil {
		t.Fatal(err)
	}
	for logicalID, want := range map[string]string{"Nothing": "no resource Nothing", "Function": "not a table"} {
		if _, err := tableIn(resources, logicalID); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error = %v, want %q", logicalID, err, want)
		}
	}
	if _, err := parseResources([]byte("\t")); err == nil {
		t.Error("invalid YAML was accepted")
	}
}
