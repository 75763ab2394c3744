// Words on the map that never lie on each other: whoever comes first has the room.

type Rectangle = {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
};

export class LabelRoom {
  readonly #taken: Rectangle[] = [];

  /** Takes the room where it is free; air around words counts as theirs. */
  take(middleLeft: number, middleTop: number, width: number, height: number, air = 3): 'free' | 'taken' {
    const wanted = {
      left: middleLeft - width / 2 - air,
      right: middleLeft + width / 2 + air,
      top: middleTop - height / 2 - air,
      bottom: middleTop + height / 2 + air,
    };
    const isTaken = this.#taken.some(
      (other) =>
        wanted.left < other.right &&
        wanted.right > other.left &&
        wanted.top < other.bottom &&
        wanted.bottom > other.top,
    );
    if (isTaken) return 'taken';
    this.#taken.push(wanted);
    return 'free';
  }
}
