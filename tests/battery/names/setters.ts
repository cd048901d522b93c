/** The ways to set an alias: registering, and being renamed by oneself or by a game master. */

import type { Result, Someone, TestEnvironment } from "../../support/service.ts";

export const PASSWORD = "correct horse battery";

/** A way to set an alias, and to give it up again. */
export interface Setter {
  name: string;
  /** The status of success. */
  success: number;
  /** Where the alias stands in the request. */
  field: "alias" | "alias_to";
  take: (alias: string) => Promise<Result>;
  free: (taken: Result) => Promise<Result>;
}

/** @param renamed a player who may be renamed */
export const settersFor = (s: TestEnvironment, gm: Someone, renamed: Someone): Setter[] => {
  const rename = async (alias_to: string): Promise<Result> => {
    await s.freeAliases(renamed);
    return s.call("POST /admin/edit_player/{url_id}", { as: gm, body: { player_id: renamed.id, alias_to } });
  };
  const edit = async (alias: string): Promise<Result> => {
    await s.freeAliases(renamed);
    return s.call("POST /edit_player/{url_id}", { as: renamed, body: { alias } });
  };
  const goBack = async (how: (alias: string) => Promise<Result>): Promise<Result> => {
    const result = await how(renamed.alias);
    await s.freeAliases(renamed);
    return result;
  };
  const register = (alias: string): Promise<Result> =>
    s.call("POST /new", { body: { alias, password: PASSWORD } });
  const remove = ({ body: { player_id } }: Result): Promise<Result> =>
    s.call("POST /admin/remove_player/{url_id}", { as: gm, body: { player_id } });
  const leave = async ({ body: { alias } }: Result): Promise<Result> =>
    s.call("DELETE /delete_player/{url_id}", { as: await s.login(alias, PASSWORD) });
  return [
    { name: "registering, then removed", success: 201, field: "alias", take: register, free: remove },
    { name: "registering, then leaving", success: 201, field: "alias", take: register, free: leave },
    { name: "by themselves", success: 200, field: "alias", take: edit, free: () => goBack(rename) },
    {
      name: "by a game master",
      success: 200,
      field: "alias_to",
      take: rename,
      free: () => goBack(edit),
    },
  ];
};
