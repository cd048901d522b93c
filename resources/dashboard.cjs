/**
 * The dashboard of a stage: availability, latency, events of the game, notifications, and limits. CloudWatch takes its
 * body as text, in which CloudFormation replaces the references.
 */
const NAMESPACE = "ZombieGame";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: CloudFormation's own
const API = ["ApiId", "${HttpApi}"];
const TABLE = ["TableName", "${Table}"];
const SWEEP = ["FunctionName", "${SweepLambdaFunction}"];
const DELIVER = ["FunctionName", "${DeliverLambdaFunction}"];
const ANNOUNCE = ["FunctionName", "${AnnounceLambdaFunction}"];
const QUEUE = ["QueueName", "${Queue.QueueName}"];
const FAILURE_QUEUES = {
  DeadLetters: "dead letters",
  PassedOver: "skipped stream records",
  MissedSweeps: "missed sweeps",
};
const REGION = "${AWS::Region}";
const LOG = "${Logs}";
const arnOf = (alarm) => `\${${alarm}.Arn}`;
const nameOf = (queue) => `\${${queue}.QueueName}`;
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: CloudFormation's own

const ALARMS = [
  ...["ApiFaults", "ApiSlow", "SweepSilent", "SweepHeld", "SweepErrors", "DeliverErrors", "AnnounceErrors"],
  ...["DeadLettersThere", "RecordsPassedOver", "SweepsMissed", "QueueOld", "StreamOld", "TableThrottled"],
];
/** Those of resources/mail.yml, which exists only with MAIL_URL. */
const MAIL_ALARMS = ["MailStuck", "MailBounces"];
const HAS_MAIL = (process.env.MAIL_URL ?? "") !== "";
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

/**
 * The lines of rejected requests, counted by their error code and route. A search of the log costs by the bytes it reads, while a
 * metric for each code would be charged for each, and take the dashboard over the 50 metrics that are free.
 */
const REJECTED =
  'filter message = "request" and ispresent(code) and code != "internal" | stats count(*) as rejected by code, route | sort rejected desc';

const search = (title, query) => ({
  type: "log",
  properties: { title, region: REGION, view: "table", query: `SOURCE '${LOG}' | ${query}` },
});

/** Places widgets in rows of three. */
const arrange = (widgets, top) =>
  widgets.map((widget, at) => ({
    ...widget,
    ...{ x: (at % 3) * 8, y: top + Math.floor(at / 3) * HEIGHT, width: 8, height: HEIGHT },
  }));

/** @param service the value of the dimension `service` of the deployment's own metrics */
const bodyOf = (service) => {
  const own = (name, label, more = {}) => [NAMESPACE, name, "service", service, { label, ...more }];
  const throttles = (name, label) => [
    ["AWS/DynamoDB", name, ...TABLE, { label: `${label} of the table` }],
    ...INDEXES.map((index) => [
      ...["AWS/DynamoDB", name, ...TABLE, "GlobalSecondaryIndexName", index],
      { label: `${label} of ${index}` },
    ]),
  ];
  const graphs = [
    graph("Requests", [
      ["AWS/ApiGateway", "Count", ...API, { label: "all" }],
      ["AWS/ApiGateway", "4xx", ...API, { label: "rejected" }],
      ["AWS/ApiGateway", "5xx", ...API, { label: "internal errors" }],
    ]),
    search("Rejected requests by error code and route", REJECTED),
    graph(
      "Latency",
      [
        ["AWS/ApiGateway", "Latency", ...API, { stat: "p50", label: "p50" }],
        ["AWS/ApiGateway", "Latency", ...API, { stat: "p90", label: "p90" }],
        ["AWS/ApiGateway", "Latency", ...API, { stat: "p99", label: "p99" }],
      ],
      { unit: "ms" },
    ),
    graph("The game", [own("Hunts", "hunts"), own("Deaths", "deaths")]),
    graph(
      "Sweep: lag of recorded starvations",
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
      own("PushRetried", "retried"),
      own("PushExpired", "subscription expired"),
      own("PushFailed", "failed"),
      own("PushKeyRefused", "VAPID key rejected"),
    ]),
    graph("Webhooks", [
      own("WebhookSent", "sent"),
      own("WebhookRetried", "retried"),
      own("WebhookFailed", "failed"),
    ]),
    ...(HAS_MAIL
      ? [
          graph("Mails", [
            own("MailSent", "accepted"),
            own("MailRetried", "retried"),
            own("MailFailed", "refused or too late"),
            own("MailStuck", "nothing accepted for a quarter of an hour"),
            own("MailRefused", "refused for good, percent", { stat: "Average", yAxis: "right" }),
          ]),
        ]
      : []),
    graph(
      "Age of the oldest message or record",
      [
        ["AWS/SQS", "ApproximateAgeOfOldestMessage", ...QUEUE, { label: "queue, seconds" }],
        ["AWS/Lambda", "IteratorAge", ...ANNOUNCE, { label: "stream, milliseconds", yAxis: "right" }],
      ],
      { stat: "Maximum" },
    ),
    graph(
      "Failures to look at",
      Object.entries(FAILURE_QUEUES).map(([queue, label]) => [
        ...["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", nameOf(queue)],
        { label },
      ]),
      { stat: "Maximum" },
    ),
    graph("Worker failures", [
      ["AWS/Lambda", "Errors", ...DELIVER, { label: "deliver" }],
      ["AWS/Lambda", "Errors", ...ANNOUNCE, { label: "announce" }],
      own("MessagesFailed", "failed messages"),
      own("StreamRecordUnreadable", "unreadable records"),
    ]),
    graph("Database throttling", [
      ...throttles("ReadThrottleEvents", "reads"),
      ...throttles("WriteThrottleEvents", "writes"),
    ]),
    graph("Functions in the whole account", [
      ["AWS/Lambda", "Throttles", { label: "throttled" }],
      ["AWS/Lambda", "ConcurrentExecutions", { stat: "Maximum", label: "concurrent" }],
    ]),
    graph("Capacity units of the table", [
      ["AWS/DynamoDB", "ConsumedReadCapacityUnits", ...TABLE, { label: "read" }],
      ["AWS/DynamoDB", "ConsumedWriteCapacityUnits", ...TABLE, { label: "write" }],
    ]),
  ];
  const alarms = {
    type: "alarm",
    properties: { title: "Alarms", alarms: [...ALARMS, ...(HAS_MAIL ? MAIL_ALARMS : [])].map(arnOf) },
  };
  return { widgets: [{ ...alarms, x: 0, y: 0, width: 24, height: 3 }, ...arrange(graphs, 3)] };
};

/** The resource for serverless.yml. */
module.exports = async ({ resolveVariable }) => {
  const name = await resolveVariable("self:custom.table");
  return {
    Type: "AWS::CloudWatch::Dashboard",
    Properties: { DashboardName: name, DashboardBody: { "Fn::Sub": JSON.stringify(bodyOf(name)) } },
  };
};
