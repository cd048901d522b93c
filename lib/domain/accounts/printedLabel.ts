/** The label of players whose tag code is printed. It goes with the code. */
export const PRINTED_LABEL = "card-printed";
