/** The receiver of a delivery answered, and not with yes. */
export class ReceiverRefusal extends Error {
  /** Of HTTP or SMTP. */
  readonly status: number;
  /** It will not answer otherwise: no further try is made. */
  readonly isFinal: boolean;

  constructor(message: string, { status, isFinal }: { status: number; isFinal: boolean }) {
    super(message);
    this.name = 'ReceiverRefusal';
    this.status = status;
    this.isFinal = isFinal;
  }
}
