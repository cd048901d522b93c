/** What the players of the demo write, and the texts of its game. */

/** Where tags happen. */
export const NOTES = [
  ...["behind the library", "at the bike racks", "on the way to the lecture hall", "by the vending machines"],
  ...["at the north gate", "in front of the canteen", "under the clock tower", "after the lab"],
];

const RULES = `Zombies wear their bandana on the **head**, humans on the **arm**.

1. A tag is a firm touch with a hand. Nothing counts indoors, in class or at work.
2. Who is tagged tells the zombie their code.
3. A zombie who has not fed for 48 hours starves.
4. A hit with a sock stuns a zombie for 15 minutes.`;

/** The settings that everybody reads. */
export const TOLD = {
  name: "Campus Outbreak",
  description: "A week of tag between the library and the lake. Everybody may join.",
  rules: RULES,
  contact: "gm@example.org",
};
