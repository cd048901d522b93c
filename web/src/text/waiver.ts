/** The texts about the waiver, which are read only where there is one. */
export const waiver = {
  title: "Waiver",
  text: "The text",
  lead: "Read this and sign it with your name before you play.",
  agree: "I have read it, and I sign it with the name below.",
  fullName: "Your full name",
  fullNameHint: "As you sign.",
  birthDate: "Your date of birth",
  birthDateHint: (age: number | null) =>
    age === null ? undefined : `Who is under ${age} plays once a game master has a guardian's signature.`,
  contact: "Whom shall we call in an emergency?",
  contactHint: "A name and a number. Stored encrypted, for game masters only.",
  photos: "May photos of you be shown?",
  photosYes: "Yes",
  photosNo: "No",
  later: "I sign later, or on paper",
  laterText: "You can follow the game, and play as soon as you have signed.",
  now: "Sign now",
  required: "Tick this to sign.",
  fillIn: "Fill this in to sign.",
  choose: "Choose an answer.",
  changed: "The waiver has changed meanwhile. Read it again; what you have typed is still here.",
  submit: "Sign",
  none: "This game has no waiver.",
  signed: (name: string, time: string, version: string) =>
    `You signed version ${version.slice(0, 6)} as ${name}, ${time}.`,
  paper: (name: string, time: string, version: string) =>
    `Your paper for version ${version.slice(0, 6)} was entered as ${name}, ${time}.`,
  guardian: (name: string) => `${name} has signed for you as your guardian.`,
  old: "The text has changed since. Please sign it again.",
  underAge: "You wait because of your age: a game master admits you, or you play from your birthday on.",
  consent: (isGiven: boolean, time: string) =>
    isGiven ? `Since ${time} photos of you may be shown.` : `Since ${time} no photos of you may be shown.`,
  withdraw: "Do not show photos of me any more",
  withdrawText: "Your picture is removed at once. You can set another one yourself.",
  give: "Photos of me may be shown",
  kept: (days: number) =>
    days === 0
      ? "If you delete your account, your signature is deleted too."
      : `If you delete your account, your signature is kept for ${days} ${days === 1 ? "day" : "days"}, apart from the game and for game masters only.`,
  notNow: "Not now",
};
