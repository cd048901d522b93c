/** A request to send a notification. */
import type { Audience, SendResult } from "../../domain/notifications/push.ts";
import type { JobCall } from "../../lambda/call.ts";

/** A game master's message. `send_at` is RFC 3339; now by default. */
export interface MessageToSend {
  title: string;
  content: string;
  player_groups: string;
  audience?: Audience | undefined;
  send_at?: string | undefined;
}

export type SendCall = JobCall<SendResult>;
