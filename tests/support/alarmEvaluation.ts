/**
 * Evaluates an alarm over a course of metrics, by the rules that CloudWatch documents:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/percentiles-with-low-samples.html
 */
import * as z from "zod/mini";

const Metric = z.object({ Namespace: z.string(), MetricName: z.string() });
const Treatment = z.enum(["breaching", "notBreaching", "ignore"]);

/** The share of a metric whose values are 100 or 0, if at least three are 100. */
const IF_MANY = "IF(hundreds >= 300, share, 0)";

const Query = z.union([
  z.object({ Expression: z.enum(["SUM(METRICS())", "SUM(FILL(METRICS(), 0))", IF_MANY]) }),
  z.object({
    Id: z.string(),
    ReturnData: z.literal(false),
    MetricStat: z.object({ Metric, Stat: z.string(), Period: z.int() }),
  }),
]);

const Evaluation = z.object({
  EvaluationPeriods: z.int(),
  DatapointsToAlarm: z.optional(z.int()),
  ComparisonOperator: z.enum(["GreaterThanOrEqualToThreshold", "GreaterThanThreshold", "LessThanThreshold"]),
  Threshold: z.number(),
  TreatMissingData: Treatment,
  EvaluateLowSampleCountPercentile: z.optional(z.literal("ignore")),
});

/** What decides the state of an alarm of the template. */
export const Alarm = z.union([
  z.object({ ...Evaluation.shape, Metrics: z.array(Query) }),
  z.object({
    ...{ ...Evaluation.shape, ...Metric.shape, Period: z.int() },
    Statistic: z.optional(z.string()),
    ExtendedStatistic: z.optional(z.string()),
  }),
]);
export type Alarm = z.infer<typeof Alarm>;

export type State = "OK" | "ALARM" | "INSUFFICIENT_DATA";

/** The values that a metric reports in a minute; none if it is missing. */
export type Series = (minute: number) => readonly number[];

interface Point {
  /** Undefined if it is missing. */
  value: number | undefined;
  /** Whether a percentile has too few values. */
  isLow?: boolean;
}

const MINUTE_SECONDS = 60;

const pointOf = (statistic: string, values: readonly number[]): Point => {
  if (values.length === 0) return { value: undefined };
  const sum = values.reduce((all, one) => all + one, 0);
  const [, percent] = /^p(\d+)$/.exec(statistic) ?? [];
  if (percent !== undefined) {
    const share = Number(percent) / 100;
    const sorted = values.toSorted((one, other) => one - other);
    // 10 / (1 - 0.9) is a little more than a hundred in binary.
    const least = Math.round(10 / (1 - share));
    return { value: sorted[Math.ceil(share * sorted.length) - 1], isLow: values.length < least };
  }
  const value = {
    ...{ Sum: sum, SampleCount: values.length, Average: sum / values.length },
    ...{ Maximum: Math.max(...values), Minimum: Math.min(...values) },
  }[statistic];
  if (value === undefined) throw new Error(`no statistic ${statistic}`);
  return { value };
};

/** Points that were computed, because the periods of successive minutes overlap. */
const computed = new WeakMap<Series, Map<string, Point>>();

/** Returns the points of a metric, the oldest first, in periods that end with this minute. */
const pointsOf = (
  statistic: string,
  seconds: number,
  series: Series,
  end: number,
  count: number,
): Point[] => {
  const minutes = seconds / MINUTE_SECONDS;
  const known = computed.get(series) ?? new Map<string, Point>();
  computed.set(series, known);
  return Array.from({ length: count }, (_, n) => {
    const first = end + 1 - (count - n) * minutes;
    const key = `${statistic} ${minutes} ${first}`;
    const values = (): number[] => Array.from({ length: minutes }, (_, m) => series(first + m)).flat();
    const point = known.get(key) ?? pointOf(statistic, values());
    known.set(key, point);
    return point;
  });
};

/** FILL puts zero only into a metric that has data in the range; SUM leaves out what is missing. */
const sumOf = (expression: string, all: readonly Point[][]): Point[] => {
  const filled = expression.includes("FILL")
    ? all.map((points) =>
        points.some(({ value }) => value !== undefined) ? points.map(({ value = 0 }) => ({ value })) : points,
      )
    : all;
  return (filled[0] ?? []).map((_, n) => {
    const values = filled.flatMap((points) => points[n]?.value ?? []);
    return { value: values.length === 0 ? undefined : values.reduce((sum, one) => sum + one, 0) };
  });
};

/** Where either is missing, so is the result. */
const sharesOf = ([hundreds = [], shares = []]: readonly Point[][]): Point[] =>
  hundreds.map(({ value }, n) => ({ value: value === undefined || value >= 300 ? shares[n]?.value : 0 }));

const NONE: Series = () => [];

/** Returns the points of an alarm's evaluation range, the oldest first. */
const rangeOf = (alarm: Alarm, data: Data, end: number, count: number): Point[] => {
  if (!("Metrics" in alarm)) {
    const { Statistic, ExtendedStatistic = "", Period } = alarm;
    return pointsOf(Statistic ?? ExtendedStatistic, Period, data.metric ?? NONE, end, count);
  }
  const expression = alarm.Metrics.flatMap((query) => ("Expression" in query ? [query.Expression] : []));
  const metrics = alarm.Metrics.flatMap((query) =>
    "Expression" in query
      ? []
      : [
          pointsOf(
            ...([query.MetricStat.Stat, query.MetricStat.Period] as const),
            ...([data[query.Id] ?? data.metric ?? NONE, end, count] as const),
          ),
        ],
  );
  if (expression.includes(IF_MANY)) return sharesOf(metrics);
  return sumOf(expression.join(), metrics);
};

const isBreaching = ({ ComparisonOperator, Threshold }: Alarm, value: number): boolean => {
  if (ComparisonOperator === "LessThanThreshold") return value < Threshold;
  return ComparisonOperator === "GreaterThanThreshold" ? value > Threshold : value >= Threshold;
};

/** Alarms on metrics of DynamoDB ignore missing data, whatever they say. */
const treatmentOf = (alarm: Alarm): z.infer<typeof Treatment> => {
  const namespaces =
    "Metrics" in alarm
      ? alarm.Metrics.flatMap((query) => ("MetricStat" in query ? query.MetricStat.Metric.Namespace : []))
      : [alarm.Namespace];
  return namespaces.includes("AWS/DynamoDB") ? "ignore" : alarm.TreatMissingData;
};

/**
 * Returns the state of an alarm.
 * @param points those of the evaluation range, the oldest first: at least as many as the evaluation periods
 * @param before the state until now
 */
export const stateOf = (alarm: Alarm, points: readonly Point[], before: State): State => {
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm;
  const real = points.filter(({ value }) => value !== undefined).slice(-EvaluationPeriods);
  if (alarm.EvaluateLowSampleCountPercentile === "ignore" && real.some(({ isLow }) => isLow)) return before;
  const missing = EvaluationPeriods - real.length;
  const bad = real.filter(({ value = 0 }) => isBreaching(alarm, value)).length;
  const treatment = treatmentOf(alarm);
  const filled = treatment === "breaching" ? missing : 0;
  if (bad + filled >= DatapointsToAlarm) return "ALARM";
  return treatment === "ignore" && missing > 0 && bad === real.length ? before : "OK";
};

/** The values of each metric, by its `Id`; `metric` for that of an alarm on a single one. */
export type Data = Readonly<Record<string, Series>>;

/**
 * Returns the state of an alarm at the end of each minute, from minute 0 on.
 * @param extra how many more points than the evaluation periods CloudWatch looks at, which it does not document
 */
export const replay = (alarm: Alarm, data: Data, minutes: number, extra: number): State[] => {
  const states: State[] = [];
  for (let end = 0; end < minutes; end += 1) {
    const points = rangeOf(alarm, data, end, alarm.EvaluationPeriods + extra);
    states.push(stateOf(alarm, points, states.at(-1) ?? "OK"));
  }
  return states;
};
