import pkg from '../package.json' with { type: 'json' };

/** The version of the program, from package.json at build. */
export const VERSION: string = pkg.version;
