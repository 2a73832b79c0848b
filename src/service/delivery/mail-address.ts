const MAX_CHARS = 320;

/** Whether a text can be an e-mail address, those of this machine (`me@localhost`) included. */
export function isMailAddress(text: string): boolean {
  return text.length <= MAX_CHARS && /^[^\s@<>\p{Cc}]+@[^\s@<>\p{Cc}]+$/u.test(text);
}
