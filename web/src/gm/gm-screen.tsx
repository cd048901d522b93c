export const Screen = () => <main />;
