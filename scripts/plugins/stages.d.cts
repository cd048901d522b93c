/** Whether the game of a stage may be lost. */
export declare const isForTests: (stage: string) => boolean;
