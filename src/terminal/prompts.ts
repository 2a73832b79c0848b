export interface Choice<T> {
  name: string;
  value: T;
  description?: string;
}

/** Questions to a person. The real one draws on stderr; stdout belongs to results. Ctrl-C is a CancelledError. */
export interface Prompts {
  input(question: {
    message: string;
    default?: string;
    validate?: (value: string) => true | string;
  }): Promise<string>;
  select<T>(question: { message: string; choices: readonly Choice<T>[]; default?: T }): Promise<T>;
  checkbox<T>(question: {
    message: string;
    choices: readonly (Choice<T> & { checked?: boolean })[];
  }): Promise<T[]>;
  confirm(question: { message: string; default?: boolean }): Promise<boolean>;
  /** Masked; what is typed never appears. */
  password(question: { message: string; validate?: (value: string) => true | string }): Promise<string>;
}
