/** Variables that hold a key or password and are no business of other programs. */
const SECRET_VARIABLES = ['CLIPCTL_API_KEY', 'CLIPCTL_SMTP_URL'] as const;

/** The environment for a program that is not ours. */
export function withoutSecrets(env: Record<string, string | undefined>): Record<string, string | undefined> {
  return { ...env, ...Object.fromEntries(SECRET_VARIABLES.map((variable) => [variable, undefined])) };
}
