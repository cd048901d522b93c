/**
 * What a game master looks at: is it there, is it quick, what happens in the game, does what happens reach people, and what
 * runs out. CloudWatch takes it as a text; what it refers to, CloudFormation puts in.
 */
const NAMESPACE = "ZombieGame";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: CloudFormation's own
const API = ["ApiId", "${HttpApi}"];
const TABLE = ["TableName", "${Table}"];
const SWEEP = ["FunctionName", "${SweepLambdaFunction}"];
const DELIVER = ["FunctionName", "${DeliverLambdaFunction}"];
const ANNOUNCE = ["FunctionName", "${AnnounceLambdaFunction}"];
const QUEUE = ["QueueName", "${Queue.QueueName}"];
const LAID_ASIDE = {
  DeadLetters: "dead letters",
  PassedOver: "records passed over",
  MissedSweeps: "missed sweeps",
};
const REGION = "${AWS::Region}";
/** What CloudWatch itself puts in: the code that a line is of. */
const CODE = "${!PROP('Dim.code')}";
const arnOf = (alarm) => `\${${alarm}.Arn}`;
const nameOf = (queue) => `\${${queue}.QueueName}`;
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: CloudFormation's own

const ALARMS = [
  ...["ApiFaults", "ApiSlow", "SweepSilent", "SweepHeld", "SweepErrors", "DeliverErrors", "AnnounceErrors"],
  ...["DeadLettersThere", "RecordsPassedOver", "SweepsMissed", "QueueOld", "StreamOld", "TableThrottled"],
];
const INDEXES = ["gsi1", "gsi2", "gsi3"];

const HEIGHT = 6;
const MINUTE = 60;
const FIVE_MINUTES = 300;

const graph = (title, metrics, { period = FIVE_MINUTES, stat = "Sum", unit } = {}) => ({
  type: "metric",
  properties: {
    ...{ title, region: REGION, view: "timeSeries", stacked: false, period, stat, metrics },
    ...(unit === undefined ? {} : { yAxis: { left: { label: unit, showUnits: false, min: 0 } } }),
  },
});

/** Rows of three graphs each. */
const laidOut = (widgets, top) =>
  widgets.map((widget, at) => ({
    ...widget,
    ...{ x: (at % 3) * 8, y: top + Math.floor(at / 3) * HEIGHT, width: 8, height: HEIGHT },
  }));

/** @param service the name of the deployment, which its own metrics bear */
const bodyOf = (service) => {
  const own = (name, label, more = {}) => [NAMESPACE, name, "service", service, { label, ...more }];
  const throttles = (name, label) => [
    ["AWS/DynamoDB", name, ...TABLE, { label: `${label} of the table` }],
    ...INDEXES.map((index) => [
      ...["AWS/DynamoDB", name, ...TABLE, "GlobalSecondaryIndexName", index],
      { label: `${label} of ${index}` },
    ]),
  ];
  const refused = `SEARCH('{${NAMESPACE},code,service} MetricName="Refusals" service="${service}"', 'Sum', ${FIVE_MINUTES})`;
  const graphs = [
    graph("Requests", [
      ["AWS/ApiGateway", "Count", ...API, { label: "all" }],
      ["AWS/ApiGateway", "4xx", ...API, { label: "refused" }],
      ["AWS/ApiGateway", "5xx", ...API, { label: "our fault" }],
    ]),
    graph("Refused, by why", [[{ expression: refused, label: CODE }]]),
    graph(
      "How long a request takes",
      [
        ["AWS/ApiGateway", "Latency", ...API, { stat: "p50", label: "half of them" }],
        ["AWS/ApiGateway", "Latency", ...API, { stat: "p99", label: "99 of 100" }],
      ],
      { unit: "ms" },
    ),
    graph("The game", [own("Hunts", "hunts"), own("Deaths", "deaths")]),
    graph(
      "Sweep: how late the dead were found",
      [
        own("SweepLag", "seconds", { stat: "Maximum" }),
        ["AWS/Lambda", "Invocations", ...SWEEP, { label: "runs", yAxis: "right" }],
        ["AWS/Lambda", "Errors", ...SWEEP, { label: "failed", yAxis: "right" }],
        own("SweepHeld", "held", { yAxis: "right" }),
      ],
      { period: MINUTE },
    ),
    graph("Pushes", [
      own("PushSent", "sent"),
      own("PushRetried", "to be tried again"),
      own("PushExpired", "subscription gone"),
      own("PushFailed", "failed"),
      own("PushKeyRefused", "our key refused"),
    ]),
    graph(
      "What waits: its age",
      [
        ["AWS/SQS", "ApproximateAgeOfOldestMessage", ...QUEUE, { label: "queue, seconds" }],
        ["AWS/Lambda", "IteratorAge", ...ANNOUNCE, { label: "stream, milliseconds", yAxis: "right" }],
      ],
      { stat: "Maximum" },
    ),
    graph(
      "Laid aside, until somebody looks",
      Object.entries(LAID_ASIDE).map(([queue, label]) => [
        ...["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", nameOf(queue)],
        { label },
      ]),
      { stat: "Maximum" },
    ),
    graph("Workers that failed", [
      ["AWS/Lambda", "Errors", ...DELIVER, { label: "deliver" }],
      ["AWS/Lambda", "Errors", ...ANNOUNCE, { label: "announce" }],
      own("MessagesFailed", "messages of the queue"),
      own("StreamRecordUnreadable", "records that cannot be read"),
    ]),
    graph("Throttled by the database", [
      ...throttles("ReadThrottleEvents", "reads"),
      ...throttles("WriteThrottleEvents", "writes"),
    ]),
    graph("Functions, of the whole account", [
      ["AWS/Lambda", "Throttles", { label: "throttled" }],
      ["AWS/Lambda", "ConcurrentExecutions", { stat: "Maximum", label: "at once" }],
    ]),
    graph("Units of the table", [
      ["AWS/DynamoDB", "ConsumedReadCapacityUnits", ...TABLE, { label: "read" }],
      ["AWS/DynamoDB", "ConsumedWriteCapacityUnits", ...TABLE, { label: "written" }],
    ]),
  ];
  const alarms = { type: "alarm", properties: { title: "Alarms", alarms: ALARMS.map(arnOf) } };
  return { widgets: [{ ...alarms, x: 0, y: 0, width: 24, height: 3 }, ...laidOut(graphs, 3)] };
};

/** What serverless.yml takes as a resource. */
module.exports = async ({ resolveVariable }) => {
  const name = await resolveVariable("self:custom.table");
  return {
    Type: "AWS::CloudWatch::Dashboard",
    Properties: { DashboardName: name, DashboardBody: { "Fn::Sub": JSON.stringify(bodyOf(name)) } },
  };
};
