/** Whether somebody is written to when an alarm is raised. */
import { ListSubscriptionsByTopicCommand, type Subscription } from "@aws-sdk/client-sns";
import { explainingErrors } from "../cloud/awsErrors.ts";
import type { Clients } from "../cloud/clients.ts";
import type { StackResource } from "../cloud/stack.ts";
import type { Stage } from "../cloud/stage.ts";
import { isForTests } from "../plugins/stages.cjs";
import type { Check, Finding } from "./findings.ts";

const WHAT = "alarms";

const subscriptionsOf = async ({ sns, region }: Clients, TopicArn: string): Promise<Subscription[]> => {
  const found: Subscription[] = [];
  let NextToken: string | undefined;
  do {
    const page = await explainingErrors(region, "list who is told of alarms", () =>
      sns.send(new ListSubscriptionsByTopicCommand({ TopicArn, NextToken })),
    );
    found.push(...(page.Subscriptions ?? []));
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
  return found;
};

/** An address that has not confirmed has this in the place of an ARN, one that has unsubscribed has `Deleted`. */
const isConfirmed = ({ SubscriptionArn = "" }: Subscription): boolean => SubscriptionArn.startsWith("arn:");
const isPending = ({ SubscriptionArn }: Subscription): boolean => SubscriptionArn === "PendingConfirmation";

const alarmFindings = async (
  clients: Clients,
  stage: Stage,
  resources: ReadonlyMap<string, StackResource>,
): Promise<Finding[]> => {
  const topic = resources.get("Alarms")?.id;
  const state = isForTests(stage.stage) ? "note" : "wrong";
  if (topic === undefined) return [{ state, what: WHAT, says: "The stack has no topic of alarms." }];
  if (!resources.has("AlarmEmail")) {
    if (isForTests(stage.stage)) return [];
    return [
      {
        state: "note",
        what: WHAT,
        says: "ALARM_EMAIL is not set: alarms are shown in CloudWatch, and nobody is written to.",
        mend: `Set it in .env.${stage.stage}, and deploy again: npm run deploy -- ${stage.options}`,
      },
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
      {
        state,
        what: WHAT,
        says: "Nobody is written to when an alarm is raised: AWS deletes an address that has not confirmed within 48 hours.",
        mend: `Subscribe it again, and confirm by the link in the e-mail: ${subscribe("ADDRESS")}`,
      },
    ];
  }
  return [
    ...confirmed.map(
      ({ Endpoint }): Finding => ({ state: "ok", what: WHAT, says: `${Endpoint} is written to.` }),
    ),
    ...pending.map(
      ({ Endpoint = "" }): Finding => ({
        state,
        what: WHAT,
        says: `${Endpoint} has never confirmed: nothing is sent there.`,
        mend: `Follow the link in the e-mail of AWS Notifications; another one is sent by: ${subscribe(Endpoint)}`,
      }),
    ),
  ];
};

/** Whether the address of ALARM_EMAIL has confirmed that it wants to be written to. */
export const alarmEmailCheck = (
  clients: Clients,
  stage: Stage,
  resources: ReadonlyMap<string, StackResource>,
): Check => ({ what: WHAT, run: () => alarmFindings(clients, stage, resources) });
