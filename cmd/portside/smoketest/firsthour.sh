
# What remains for the first hour of {{.Stack}}. Paste one part after another into bash with the AWS command line and jq. What AWS does is as
# it is documented, and was not tried: if something differs, the documentation of Portside is wrong.
export AWS_REGION={{quote .Region}} AWS_PAGER=
STACK={{quote .Stack}} API={{quote .API}} HOST={{quote .Host}} REPOSITORY={{quote .Repository}}
resource() {
  aws cloudformation describe-stack-resource --stack-name "$STACK" --logical-resource-id "$1" --query StackResourceDetail.PhysicalResourceId --output text
}
hour() { echo "--start-time $(($(date +%s) - 3600)) --end-time $(date +%s)"; }

# 1. Failed events have a bucket. Expected: ten lines, each with the ARN of a bucket.
for function in CountPulls CountUsage IndexCharts IndexImages MeasureStorage RecordPulls RotateTokens RunMediaJobs SealAudit SendMail; do
  aws lambda list-function-event-invoke-configs --function-name "$(resource ${function}Function)" \
    --query 'FunctionEventInvokeConfigs[].[FunctionArn, DestinationConfig.OnFailure.Destination]' --output text
done
# Force one failure for each bucket: the functions cannot read the event []. Lambda tries three times, which takes about 3 minutes.
for function in CountUsage IndexCharts; do
  aws lambda invoke --function-name "$(resource ${function}Function)" --invocation-type Event --cli-binary-format raw-in-base64-out \
    --payload '[]' /dev/stdout
done
sleep 300
# Expected: the error of each function. The two objects are deleted.
for bucket in FailedBatchesBucket FailedEventsBucket; do
  name=$(resource $bucket)
  key=$(aws s3api list-objects-v2 --bucket "$name" --prefix aws/lambda/async/ --query 'sort_by(Contents, &LastModified)[-1].Key' --output text)
  rm -f failed-event
  aws s3 cp "s3://$name/$key" failed-event && jq -c .responsePayload failed-event &&
    [ "$(jq -c .requestPayload failed-event)" = '[]' ] && aws s3 rm "s3://$name/$key"
done

# 2. SES. Expected: true; the configuration set of the sender, or null.
from=$(aws cloudformation describe-stacks --stack-name "$STACK" --query "Stacks[0].Parameters[?ParameterKey=='MailFrom'].ParameterValue" --output text)
aws sesv2 get-account --query ProductionAccessEnabled
identity=${from##*@}
aws sesv2 get-email-identity --email-identity "$identity" > identity.json || {
  identity=$from
  aws sesv2 get-email-identity --email-identity "$identity" > identity.json
}
jq .ConfigurationSetName identity.json
# Without a set, try one, because SES then asks for a further permission. Expected: the step mail is ok, and the mail arrives at your address
# (set MAIL_TO).
[ "$(jq .ConfigurationSetName identity.json)" = null ] && {
  aws sesv2 create-configuration-set --configuration-set-name first-hour
  aws sesv2 put-email-identity-configuration-set-attributes --email-identity "$identity" --configuration-set-name first-hour
  portside smoke-test --first-hour --url "$API" --mail-to "${MAIL_TO:?}" | grep '^mail '
  aws sesv2 put-email-identity-configuration-set-attributes --email-identity "$identity"
  aws sesv2 delete-configuration-set --configuration-set-name first-hour
}

# 3. HEAD as curl shows it, and pulls with containerd, not only with docker. `portside login` first. Expected: a Content-Length that is not 0 for
# the manifest; one for the layer too, or a 405 if the layer has more than 4 MiB; two pulls. Set REPOSITORY to one with a real image.
tag=$(aws ecr describe-images --repository-name "$REPOSITORY" --query 'sort_by(imageDetails[?imageTags], &imagePushedAt)[-1].imageTags[0]' --output text)
(umask 077 && portside tokens create --name first-hour --scope "read:docker-images:$REPOSITORY" --days 1 > token)
manifest() { curl -s -u "token:$(cat token)" "$API/v2/$REPOSITORY/manifests/$1"; }
child=$(manifest "$tag" | jq -r '.manifests[0].digest // empty') # if the tag leads to an index
layer=$(manifest "${child:-$tag}" | jq -r '.layers[0].digest')
curl -sI -u "token:$(cat token)" "$API/v2/$REPOSITORY/manifests/$tag"
curl -sI -u "token:$(cat token)" "$API/v2/$REPOSITORY/blobs/$layer"
sudo ctr images pull --user "token:$(cat token)" "$HOST/$REPOSITORY:$tag"
docker login --username token --password-stdin "$HOST" < token && docker pull "$HOST/$REPOSITORY:$tag"
rm token

# 4. The first seal, 25 minutes after the end of the first hour. Expected: no event was changed, added or removed.
portside verify-audit

# 5. Both runbooks of the audit log, in a scratch stack only: set SCRATCH=1. Hide the newest object; expected: verify-audit names it. Then write its
# version again; expected: verify-audit finds nothing.
[ "$SCRATCH" = 1 ] && {
bucket=$(resource AuditBucket)
key=$(aws s3api list-objects-v2 --bucket "$bucket" --prefix seals/ --query 'sort_by(Contents, &Key)[-1].Key' --output text)
aws s3api get-bucket-policy --bucket "$bucket" --query Policy --output text > policy.json &&
  aws s3api delete-bucket-policy --bucket "$bucket" &&
  aws s3api delete-object --bucket "$bucket" --key "$key"
aws s3api put-bucket-policy --bucket "$bucket" --policy file://policy.json
portside verify-audit
version=$(aws s3api list-object-versions --bucket "$bucket" --prefix "$key" --query 'Versions[0].VersionId' --output text)
aws s3api get-object --bucket "$bucket" --key "$key" --version-id "$version" object
aws s3api put-object --bucket "$bucket" --key "$key" --body object --if-none-match '*'
portside verify-audit
}

# 6. A token of a real pipeline. Set PIPELINE to a repository of yours on GitHub, and run the job in docs/pipelines.md, "GitHub Actions", with the
# printed ID. Expected: the job pulls an image.
portside customers create "First hour" --slug first-hour
portside entitlements create --customer first-hour --artifact image --repository "$REPOSITORY"
portside trust-policies create --customer first-hour --name "First hour" --audience "$API" --github "$PIPELINE" --ref refs/heads/main \
  --scope "read:docker-images:$REPOSITORY" --max-minutes 10

# 7. After the job, delete the customer.
portside customers delete first-hour --yes

# 8. With a domain, the execute-api address refuses requests. Expected: 404 or 403.
curl -s -o /dev/null -w '%{http_code}\n' "https://$(resource HttpApi).execute-api.$AWS_REGION.amazonaws.com/v1/health"

# 9. Indexes. After some pulls, each index of each table has write units; those of PullsTable and its indexes together are below 3.3 for each
# RecordedPulls. Expected: a Sum for each index that was used, and no throttled write.
for index in AuditTable/byActor AuditTable/byCustomer AuditTable/byTarget PullsTable/byCustomer PullsTable/byOwner PullsTable/byRepository \
  RequestCountsTable/byOwner; do
  for metric in ConsumedWriteCapacityUnits WriteThrottleEvents; do
    echo "$index $metric"
    aws cloudwatch get-metric-statistics --namespace AWS/DynamoDB --metric-name $metric --period 3600 --statistics Sum $(hour) \
      --dimensions Name=TableName,Value="$(resource ${index%/*})" Name=GlobalSecondaryIndexName,Value="${index#*/}" --query 'Datapoints[].Sum'
  done
done
aws cloudwatch get-metric-statistics --namespace Portside --metric-name RecordedPulls --period 3600 --statistics Sum $(hour) \
  --dimensions Name=FunctionName,Value="$(resource RecordPullsFunction)" --query 'Datapoints[].Sum'

# 10. Lines for each delivery of CloudWatch Logs: the cost of counting depends on it. Compare with docs/cost.md.
query=$(aws logs start-query --log-group-name "$(resource CountUsageLogs)" $(hour) --query queryId --output text \
  --query-string 'filter msg = "log lines" | stats count() as deliveries, avg(lines), max(lines) by log')
sleep 15; aws logs get-query-results --query-id "$query" --query results

# 11. Milliseconds for each call of DynamoDB, which docs/capacity.md and docs/cost.md take for 5. Expected: an Average of at most 10.
for operation in GetItem Query TransactWriteItems UpdateItem; do
  for table in CredentialsTable UsersTable; do
    echo "$table $operation"
    aws cloudwatch get-metric-statistics --namespace AWS/DynamoDB --metric-name SuccessfulRequestLatency --period 3600 $(hour) \
      --statistics Average SampleCount --dimensions Name=TableName,Value="$(resource $table)" Name=Operation,Value=$operation --query Datapoints
  done
done

# 12. Hosts. Send your customers the hosts of the step "hosts" above, and pull once from a network that allows only these.

# 13. Firehose, once, in a scratch stack: set LogDelivery: firehose in settings/ENV.yaml, deploy, and pull a chart. Expected: objects within two
# minutes, no object of errors, and SUCCEEDED with rows.
aws s3 ls --recursive "s3://$(resource LogsBucket)/"
query=$(aws athena start-query-execution --query-execution-context "Database=${STACK}_logs" \
  --query-string "SELECT loggroup, count(*) AS messages FROM requests WHERE day = '$(date -u +%Y/%m/%d)' GROUP BY 1" \
  --result-configuration "OutputLocation=s3://$(resource LogsBucket)/athena/" --query QueryExecutionId --output text)
sleep 15; aws athena get-query-execution --query-execution-id "$query" --query QueryExecution.Status
aws athena get-query-results --query-execution-id "$query" --query 'ResultSet.Rows[].Data[].VarCharValue'

# 14. The rest of "The first hour on AWS" in docs/operations.md: alarms, restores, schedules, models.
