/** The descriptions of fields in the API document. */
import { SETTING_PROSE } from "../../lib/domain/game/settings.ts";
import { countsProse } from "../../lib/http/counts.ts";

/**
 * Descriptions of the fields that several endpoints share, by name, or by component and name where a name has several meanings.
 * Fields of one endpoint are described beside its handler.
 */
const FIELDS: Readonly<Record<string, string>> = {
  ...SETTING_PROSE,
  actor_picture_url: "Where the picture of `actor` is; absent without one, and in responses to commands.",
  actor_ref: "The `player_ref` of `actor`.",
  actor: "The alias of who did it; `null` if nobody did, if they have left, or with `hidden`.",
  after: "Only what is newer than this id.",
  alias: "The name that a player goes by in the game.",
  at: "When it happened.",
  audience: "For whom it is.",
  auth: "The authentication secret of the browser: 16 bytes in base64url.",
  checkpoint: "The current checkpoint, if there is one.",
  checkpoint_id: "The id of a checkpoint.",
  content: "The text.",
  cookie: "`true` also sets the session cookie.",
  counts: "How many players are in each state.",
  cursor: "`next_cursor` of the page before; the first page by default.",
  details: "More about it, by kind.",
  device_token:
    "A secret of the device, from an earlier login. With it, failed attempts from other devices do not delay this one.",
  description: "A description.",
  email: "The e-mail address; `null` means none.",
  endpoint: "The `https` URL at a push service that the browser gave.",
  ends_at: "When the game ends; `null` for no end.",
  expires_at: "When it expires.",
  first_name: "The first name; `null` means none.",
  has_pfp: "Whether the player has a picture.",
  hidden: "`true` if `actor` is `null` because the original zombie is hidden.",
  hunter: "The hunter.",
  infected_by_hidden: "`true` if `infected_by` is `null` because the original zombie is hidden.",
  infected_at: "When the present infection began.",
  infection_id: "The id of an infection, which is that of the event that began it.",
  in_play: "Whether hunts count and hunger grows now.",
  interaction: "The event that records it.",
  interaction_id: "The id of an event.",
  is_admin: "Whether the player is an administrator.",
  job_id: "The id of the job.",
  kills: "How many humans the player has tagged.",
  kind: "What kind of event it is.",
  labels: "The labels that game masters gave to the player.",
  last_fed_at: "When the zombie was last fed.",
  last_name: "The last name; `null` means none.",
  latitude: "In degrees, together with `longitude`.",
  limit: "How many entries a page has.",
  longitude: "In degrees, together with `latitude`.",
  name: "What it is called.",
  navigate:
    "The path of the page of the app that an event leads to, as in its push; absent from messages of game masters.",
  next_change_at: "When play begins or ends next by the schedule.",
  next_cursor: "The `cursor` of the next page; `null` on the last one.",
  note: "A note, visible to the hunter and to administrators.",
  notification: "The notification.",
  notification_id: "The id of a notification.",
  p256dh: "The public key of the browser: 65 bytes in base64url.",
  passed_at: "When the player passed the current checkpoint.",
  password: "The password.",
  pending: "Whether a game master has to admit the player; `null` in a moderator's view of a player.",
  phase: "The phase that the game is in now, by its schedule and pauses.",
  play_hours: "When the game is played each day, in local time; `null` for always.",
  player: "The player afterwards.",
  picture_url: "The path of the player's picture, which needs no token; `null` for none.",
  player_ref: "An id of the player for links and reports, which survives a change of the alias.",
  player_id: "The id of a player.",
  push_kinds: "The game events that are pushed to the player.",
  reason: "Why, in the words of the game master.",
  recovery_code: "The code with which the player sets a new password.",
  role: "What the player may do.",
  situation:
    "What happens now, in one word: the phase, with nights, pauses at night, pauses before the start and the time between seasons told apart.",
  uses: "How many players may register with it; `null` for any number.",
  uses_left: "How many players may still register with it; `null` for any number.",
  code: "The code.",
  webhook_id: "The id of a webhook; in a request, of one that stays.",
  url: "The `https` address of a new webhook. It is not shown again.",
  format: "Discord's messages, or JSON that is signed as Standard Webhooks describe.",
  events: "The kinds of interactions that are sent; `null` for all.",
  host: "The host of the address.",
  secret: "The key of the signatures, in the response that adds the webhook; otherwise `null`.",
  failing_since: "Since when every message has failed; `null` after one that has arrived.",
  last_error: "The status or the error of the last failure; `null` after a message that has arrived.",
  disabled_at: "Since when it is switched off, after a day of failures; `null` if it is not.",
  tested_at: "When a test has arrived last; `null` for never.",
  test_webhooks: "Sends a test to every webhook. One that arrives switches its webhook on again.",
  seconds_left: "The play time that is left, in seconds.",
  sent_at: "When it was sent.",
  set_at: "When it was set.",
  expired: "How many subscriptions the push services no longer knew; they are removed.",
  failed: "How many were given up.",
  queued: "How many are still to be tried.",
  sent: "How many a push service has accepted.",
  shown_as: "The state that others see of a hidden original zombie.",
  status: "`scheduled` or `withdrawn`; absent from one that was sent.",
  subscriptions: "How many there are in the audience.",
  warning:
    "Says that `player_groups` had no effect. Absent with an `audience`, and if `player_groups` is `All`.",
  starts_at: "When the game starts; `null` for no start.",
  starves_at:
    "When the zombie starves; `null` if the player is not a zombie, or if the game ends before that.",
  state: "What the player is in the game.",
  tag_code: "The code that a human gives to the zombie who tagged them.",
  target: "The alias of whom it happened to; `null` if nobody, or they have left.",
  target_picture_url: "Where the picture of `target` is; absent without one, and in responses to commands.",
  target_ref: "The `player_ref` of `target`.",
  time_zone: "The IANA name of the zone of the play hours.",
  title: "The title.",
  token: "The token, for `Authorization: Bearer`.",
  token_type: "Always `Bearer`.",
  wants_original:
    "Whether the player wants to be an original zombie; absent in a moderator's view of a player.",
};

/** By component, as in `Player.infected_by`, or by the field that contains it, as in `details.waiting`. */
const NESTED: Readonly<Record<string, string>> = {
  "Checkpoint.applies_to": "Whom it applies to.",
  "Checkpoint.closes_at": "When it closes; `null` for never.",
  "Checkpoint.description": "Where it is, and what players do there.",
  "Checkpoint.enforced_at": "When it was first enforced.",
  "Checkpoint.undone_at": "When its latest enforcement was undone.",
  ...Object.fromEntries(Object.entries(countsProse()).map(([name, text]) => [`Counts.${name}`, text])),
  "details.hunted_at":
    "When its hunter says that the tag happened, if its prey has reported another time. The kill and the feeding have this time. For its hunter, its prey and those who run the game.",
  "details.by_alias": "For administrators: whom the prey takes for the hunter.",
  "details.parent_infection_id": "The infection of the hunter; `null` for a root of the tree.",
  "details.shared_with": "The aliases of those who were fed too.",
  "details.voided": "`true` for a hunt that was voided, and for a death that was undone.",
  "details.voided_interaction_id":
    "What was undone: the hunt that was voided, or the starvation that a late tag prevented.",
  "details.late_tag_id":
    "Only for `revived_by_late_tag`: the hunt that happened before the player starved, and was recorded afterwards.",
  "details.admitted": "`true` for a revival that admitted a newcomer.",
  "details.dispute":
    "The status of the dispute of a hunt, for its hunter, its prey and those who run the game.",
  "details.dispute_note": "Why the dispute was resolved like this.",
  "details.entered_by_game_master": "`true` for a hunt that a game master entered.",
  "details.returned":
    "`true` for what happened to a player while they had left, recorded when they came back.",
  "details.drawn": "`true` for a human who was drawn as an original zombie.",
  "details.withdrawn": "`true` for a death that made the player a spectator.",
  "details.waiting": "`true` until the hunter of a reported tag is known.",
  "Game.feeding_period_seconds": "The play time for which a feeding lasts, in seconds.",
  "Game.now": "The clock of the service.",
  "Game.paused": "Whether the game is paused.",
  "Game.paused_since": "Since when it is paused.",
  "Interaction.recorded_at": "When the service recorded it.",
  "join_codes.ends_at": "When the code expires; `null` for never.",
  "LogEntry.action": "The action, which is the last word of the endpoint's path.",
  "LogEntry.details": "More about it, by action.",
  "LogEntry.log_id": "The id of the entry.",
  "LogEntry.outcome": "`done`, or the code of the error.",
  "LogEntry.request_id": "The id of the request.",
  "Notification.player_group": "Always `All`.",
  "Notification.player_id": "The sender.",
  "Notification.send_at": "When it is to be sent, if not at once.",
  "Notification.created_at": "When it was made.",
  "NewPlayer.expires_at": "With `login: true`: when the session ends.",
  "NewPlayer.token": "With `login: true`: the token, for `Authorization: Bearer`.",
  "NewPlayer.device_token": "With `login: true`: a secret of the device; send it with the next login.",
  "Login.device_token": "A secret of the device; send it with the next login.",
  "Login.expires_at": "When the session ends in any case.",
  "NewPlayer.infected_by": "The alias of the zombie who infected the player.",
  "NewPlayer.created_at": "When the player joined.",
  "Player.infected_by": "The alias of the zombie who infected the player.",
  "Player.created_at": "When the player joined.",
  "PublicPlayer.created_at": "When the player joined.",
  "Pause.paused": "Whether the game is paused.",
  "Pause.since": "When the pause began; `null` if the game is not paused.",
  "Settings.description": SETTING_PROSE.description,
  "Settings.name": SETTING_PROSE.name,
  "Settings.settings_version": "How often settings were changed.",
  "Settings.versions": "The version of each setting; send those of the settings that you change.",
  "Settings.created_at": "When it was added.",
  "StaffPlayer.created_at": "When the player joined.",
  "StaffPlayer.infected_by": "The alias of the zombie who infected the player.",
  "StaffPlayer.note": "What game masters note about the player.",
  "Subscription.created_at": "When it was stored.",
  "Subscription.subscription_id": "The id of the subscription.",
  "ZombieTree.children": "The infections by this zombie, in their order.",
  "ZombieTree.hidden": "`true` for the node that stands for all hidden original zombies.",
  "ZombieTree.kills":
    "How many players the zombie infected in this life, including those that the tree leaves out; voided hunts do not count.",
  "ZombieTree.voided": "Whether the hunt was voided; then it does not count in `kills` of the node above.",
};

/**
 * The description of a field.
 * @param own descriptions of one endpoint
 * @param path the endpoint or component, and the fields above this one
 * @throws Error for a field that nothing describes
 */
export const describeField = (name: string, own: Readonly<Record<string, string>>, path: string): string => {
  const above = path.split(".").at(-1) ?? "";
  const text =
    own[name] ?? NESTED[`${above}.${name}`] ?? NESTED[`${path.split(".")[0]}.${name}`] ?? FIELDS[name];
  if (text !== undefined) return text;
  throw new Error(
    `The field ${path}.${name} has no description. Add it to "fields" in the docs of the endpoint, or to scripts/openapi/fields.ts.`,
  );
};
