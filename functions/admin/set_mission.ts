/** POST /admin/set_mission/{url_id}: creates a mission, or changes one. */
import { setMission } from "../../lib/app/missions/setMission.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { MissionView, SetMissionRequest } from "../../lib/http/missions.ts";

export const handler = endpoint({
  route: "POST /admin/set_mission/{url_id}",
  access: "administrator",
  request: { body: SetMissionRequest },
  response: { schema: MissionView },
  idempotency: { scope: "player" },
  decide: (call) => setMission(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Create or change a mission",
  description:
    "Without `mission_id` it creates a mission, which needs `title`, `starts_at`, `ends_at` and `briefings`; with it, the given fields change. With `version`, a mission that somebody else has changed since is 409 `changed_meanwhile`. A briefing that was revealed stays visible, and its text may still be corrected. Those who know the mission are told of another title, place or time. A closed mission keeps its times, desk and rewards.",
  errors: ["not_found", "changed_meanwhile", "wrong_state"],
  fields: {
    mission_id: "The id of the mission to change.",
    version: "The `version` as it was read. Without it, nothing is compared.",
    starts_at: "When it starts.",
    ends_at: "When it ends.",
    place: "Where it is; `null` removes it with its coordinates.",
    latitude: "In degrees, together with `longitude`; `null` removes both.",
    longitude: "In degrees, together with `latitude`; `null` removes both.",
    briefings: "All its briefings: they replace those before.",
    text: "The text, in Markdown.",
    reveal_at: "When the audience can read it; a past time reveals it at once.",
    rewards: "All its rewards: they replace those before.",
    draft: "Whether only game masters know of it; `false` by default.",
  },
  example: {
    body: {
      title: "The supply drop",
      starts_at: "2030-11-21T19:00:00Z",
      ends_at: "2030-11-21T21:00:00Z",
      place: "The library",
      briefings: [
        {
          audience: "humans",
          text: "Carry the **crates** to the bridge.",
          reveal_at: "2030-11-21T12:00:00Z",
        },
      ],
      attendance: "desk",
      rewards: [{ audience: "all", effect: { points: 5 } }],
    },
  },
};
