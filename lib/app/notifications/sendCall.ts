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
  /** Only to those who have not signed the present waiver. */
  unsigned?: boolean | undefined;
  /** Only to those who attended fewer required missions. */
  missions_below?: number | undefined;
  /** Also by mail. */
  also_email?: boolean | undefined;
  /** Sends nothing, and says who would get a mail and what it says. */
  dry_run?: boolean | undefined;
  /** Sends a mail to the caller and nothing else. */
  test_email?: boolean | undefined;
}

export type SendCall = JobCall<SendResult>;
