/** A Lambda context as far as the handlers use one. */
import { randomUUID } from "node:crypto";
import type { Context } from "aws-lambda";

export const lambdaContext = (timeLeft = () => 20_000): Context => ({
  awsRequestId: randomUUID(),
  getRemainingTimeInMillis: timeLeft,
  callbackWaitsForEmptyEventLoop: false,
  functionName: "test",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:local:000000000000:function:test",
  memoryLimitInMB: "512",
  logGroupName: "test",
  logStreamName: "test",
  done: () => {},
  fail: () => {},
  succeed: () => {},
});
