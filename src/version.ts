/** Put in by the build (scripts/build.mjs) and by the test runner's configuration, from package.json. */
declare const CLIPCTL_VERSION: string;

/** The version of the program. */
export const VERSION: string = CLIPCTL_VERSION;
