/** The descriptions of fields in the API document, which stand beside the schemas. */
import { SETTING_PROSE } from "../../lib/domain/game/settings.ts";
import {
  NOTIFICATION_PROSE,
  SEND_RESULT_PROSE,
  SUBSCRIPTION_PROSE,
} from "../../lib/domain/notifications/push.ts";
import { countsProse } from "../../lib/http/counts.ts";
import { FIELD_PROSE } from "../../lib/http/fields.ts";
import { GAME_PROSE, PAUSE_PROSE, SCHEDULE_PROSE } from "../../lib/http/gameViews.ts";
import { LOGIN_PROSE, NEW_PLAYER_PROSE } from "../../lib/http/login.ts";
import { MISSION_PROSE } from "../../lib/http/missions.ts";
import { BADGE_PROSE, EFFECT_PROSE, REWARD_PROSE } from "../../lib/http/rewardViews.ts";
import { JOIN_CODE_PROSE, SETTINGS_PROSE, WEBHOOK_PROSE } from "../../lib/http/settings.ts";
import {
  CHECKPOINT_PROSE,
  DETAILS_PROSE,
  EFFECTS_PROSE,
  INTERACTION_PROSE,
  LOG_ENTRY_PROSE,
  MESSAGE_PROSE,
  PLAYER_PROSE,
  STAFF_PLAYER_PROSE,
  TREE_PROSE,
} from "../../lib/http/views.ts";
import { WAIVER_PROSE } from "../../lib/http/waiver.ts";

type Descriptions = Readonly<Record<string, string>>;

/** By the name of a component, as in `Player.infected_by`, or of the field that contains them, as in `details.waiting`. */
const STRUCTURES: Readonly<Record<string, Descriptions>> = {
  Checkpoint: CHECKPOINT_PROSE,
  Counts: countsProse(),
  Game: GAME_PROSE,
  Interaction: INTERACTION_PROSE,
  LogEntry: LOG_ENTRY_PROSE,
  Login: LOGIN_PROSE,
  Mission: MISSION_PROSE,
  NewPlayer: { ...PLAYER_PROSE, ...NEW_PLAYER_PROSE },
  Notification: NOTIFICATION_PROSE,
  Pause: PAUSE_PROSE,
  Player: PLAYER_PROSE,
  PublicMission: MISSION_PROSE,
  PublicPlayer: PLAYER_PROSE,
  PublicProfile: PLAYER_PROSE,
  SendResult: SEND_RESULT_PROSE,
  Settings: SETTINGS_PROSE,
  StaffPlayer: { ...PLAYER_PROSE, ...STAFF_PLAYER_PROSE },
  Subscription: SUBSCRIPTION_PROSE,
  ZombieTree: TREE_PROSE,
  badge: BADGE_PROSE,
  badges: BADGE_PROSE,
  briefings: MISSION_PROSE,
  closings: { ...MISSION_PROSE, at: "When it happened." },
  details: DETAILS_PROSE,
  effect: EFFECT_PROSE,
  effects: EFFECTS_PROSE,
  join_codes: JOIN_CODE_PROSE,
  messages: MESSAGE_PROSE,
  earned: { ...REWARD_PROSE, ...MISSION_PROSE },
  reward: REWARD_PROSE,
  rewards: MISSION_PROSE,
  signature: WAIVER_PROSE,
  signatures: WAIVER_PROSE,
  waiver: WAIVER_PROSE,
  webhooks: WEBHOOK_PROSE,
};

/** What structures and requests share. Nodes of the tree describe `kills` differently, and missions `picture_url`. */
const SHARED: Descriptions = {
  ...SETTING_PROSE,
  ...SCHEDULE_PROSE,
  ...FIELD_PROSE,
  kills: PLAYER_PROSE.kills,
  picture_url: PLAYER_PROSE.picture_url,
};

/** By name alone: what is shared, and what only one structure describes. */
const byName = (name: string): string | undefined => {
  const texts = Object.values(STRUCTURES).flatMap((structure) => structure[name] ?? []);
  return SHARED[name] ?? (new Set(texts).size === 1 ? texts[0] : undefined);
};

/**
 * The description of a field.
 * @param own descriptions of one endpoint
 * @param path the endpoint or component, and the fields above this one
 * @throws Error for a field that nothing describes
 */
export const describeField = (name: string, own: Descriptions, path: string): string => {
  const names = path.split(".");
  const [around, component] = [names.at(-1), names[0]].map((one) => STRUCTURES[one ?? ""]);
  const text = own[name] ?? around?.[name] ?? component?.[name] ?? byName(name);
  if (text !== undefined) return text;
  throw new Error(
    `The field ${path}.${name} has no description. Add it to "fields" in the docs of the endpoint, or beside the schema that several share.`,
  );
};
