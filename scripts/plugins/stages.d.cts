/** Whether the game of a stage is nobody's loss. */
export declare const isForTests: (stage: string) => boolean;
