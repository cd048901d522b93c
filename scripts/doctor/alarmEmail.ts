/** Checks whether alarms are sent to an e-mail address. */
import { paginateListSubscriptionsByTopic, type Subscription } from "@aws-sdk/client-sns";
import { explainingErrors } from "../cloud/awsErrors.ts";
import type { Clients } from "../cloud/clients.ts";
import type { StackResource } from "../cloud/stack.ts";
import type { Stage } from "../cloud/stage.ts";
import { isForTests } from "../plugins/stages.cjs";
import { type Check, note, ok, type Result, resultOf } from "./findings.ts";

const WHAT = "alarms";

const subscriptionsOf = ({ sns, region }: Clients, TopicArn: string): Promise<Subscription[]> =>
  explainingErrors(region, "list the subscribers of alarms", async () => {
    const found: Subscription[] = [];
    for await (const page of paginateListSubscriptionsByTopic({ client: sns }, { TopicArn }))
      found.push(...(page.Subscriptions ?? []));
    return found;
  });

/** An unconfirmed subscription has `PendingConfirmation` instead of an ARN, a cancelled one has `Deleted`. */
const isConfirmed = ({ SubscriptionArn = "" }: Subscription): boolean => SubscriptionArn.startsWith("arn:");
const isPending = ({ SubscriptionArn }: Subscription): boolean => SubscriptionArn === "PendingConfirmation";

const alarmFindings = async (
  clients: Clients,
  stage: Stage,
  resources: ReadonlyMap<string, StackResource>,
): Promise<Result[]> => {
  const topic = resources.get("Alarms")?.id;
  const state = isForTests(stage.stage) ? "note" : "wrong";
  if (topic === undefined) return [resultOf(state, "The stack has no topic for alarms.")];
  if (!resources.has("AlarmEmail")) {
    if (isForTests(stage.stage)) return [];
    return [
      note(
        "ALARM_EMAIL is not set: alarms are shown in CloudWatch only, and no e-mail is sent.",
        `Set it in .env.${stage.stage} and deploy again: npm run deploy -- ${stage.options}`,
      ),
    ];
  }
  const byEmail = (await subscriptionsOf(clients, topic)).filter(({ Protocol }) => Protocol === "email");
  const confirmed = byEmail.filter(isConfirmed);
  const pending = byEmail.filter(isPending);
  const subscribe = (address: string): string =>
    `aws sns subscribe --topic-arn ${topic} --protocol email --notification-endpoint ${address} --region ${stage.region}`;
  if (confirmed.length === 0 && pending.length === 0) {
    // https://docs.aws.amazon.com/sns/latest/dg/sns-delete-subscription-topic.html
    return [
      resultOf(
        state,
        "No e-mail is sent for alarms: AWS deletes an address that was not confirmed within 48 hours.",
        `Subscribe it again, and confirm with the link in the e-mail: ${subscribe("ADDRESS")}`,
      ),
    ];
  }
  return [
    ...confirmed.map(({ Endpoint }): Result => ok(`Alarms are sent to ${Endpoint}.`)),
    ...pending.map(
      ({ Endpoint = "" }): Result =>
        resultOf(
          state,
          `${Endpoint} was never confirmed, so no alarms are sent to it.`,
          `Follow the link in the e-mail of AWS Notifications, or request another one: ${subscribe(Endpoint)}`,
        ),
    ),
  ];
};

/** The check that the address of ALARM_EMAIL is confirmed. */
export const alarmEmailCheck = (
  clients: Clients,
  stage: Stage,
  resources: ReadonlyMap<string, StackResource>,
): Check => ({ what: WHAT, run: () => alarmFindings(clients, stage, resources) });
