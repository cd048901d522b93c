/** Messages on the queue, in the words that earlier versions read and write. */
import { expect, it } from "vitest";
import { encodeMessage } from "../../lib/queue/encodeMessage.ts";
import { decodeMessage, type QueueMessage } from "../../lib/queue/messages.ts";

const SUBJECT = { notification_id: "n", shard: 0 };

it.each<[QueueMessage, body: unknown]>([
  [
    { kind: "plan_broadcast", subject: SUBJECT, plan: 1 },
    { kind: "spread", subject: SUBJECT, plan: 1 },
  ],
  [
    { kind: "sweep", fencingToken: "t" },
    { kind: "sweep", baton: "t" },
  ],
  [{ kind: "sweep", fencingToken: undefined }, { kind: "sweep" }],
])("%j is written and read as %j", (message, body) => {
  expect(JSON.parse(encodeMessage(message))).toEqual(body);
  expect(decodeMessage(JSON.stringify(body))).toEqual(message);
});
