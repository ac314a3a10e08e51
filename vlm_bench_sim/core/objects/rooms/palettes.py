"""The palettes of the rooms: what each part looks like, by its role.

Rooms 0 to 15 have natural colors: whites, greys, woods, muted blues, greens and reds. Rooms 16 to 19 have none of these: their floors,
walls and furniture are plum, teal, terracotta and green.
"""

from dataclasses import dataclass

from vlm_bench_sim.core.looks import Color, Look, Texture


@dataclass(frozen=True)
class Palette:
    """The looks of a room.

    Attributes:
        wall, floor: walls and floor.
        trim: skirting, frames of windows and doors, radiators.
        wood: most furniture.
        paint: painted furniture, such as the fronts of kitchens and wardrobes.
        stone: worktops, tiles, pots.
        metal: legs, handles, lamps.
        fabric: sofas, blankets, curtains.
        rug: rugs and cushions.
        pale: bedding, lampshades, appliances.
        ink: screens, hobs and other dark things.
        bright, vivid: books, pictures and boxes, in two colors.
        leaf: plants.
        sky: what windows show.
    """

    wall: Look
    floor: Look
    trim: Look
    wood: Look
    paint: Look
    stone: Look
    metal: Look
    fabric: Look
    rug: Look
    pale: Look
    ink: Look
    bright: Look
    vivid: Look
    leaf: Look
    sky: Look

    def look(self, role: str) -> Look:
        """Return the look of a role."""
        found: Look = getattr(self, role)
        return found


Given = str | tuple[str, str, str, float]
"""A color as six hexadecimal digits; with a pattern: color, pattern, its color and its period, m."""


def _color(role: str, digits: str) -> Color:
    red, green, blue = (round(int(digits[i : i + 2], 16) / 255, 4) for i in (0, 2, 4))
    return Color(role, (red, green, blue))


def _look(role: str, given: Given) -> Look:
    if isinstance(given, str):
        return Look(_color(role, given))
    color, pattern, over, period = given
    return Look(_color(role, color), Texture(pattern, _color(f'{role} {pattern}', over), period))


def _palette(plain: str, **given: Given) -> Palette:
    """Return a palette of the looks given by role; `plain` holds the other roles' colors as `role digits` pairs."""
    words = plain.split()
    found = dict(zip(words[::2], words[1::2], strict=True)) | given
    return Palette(**{role: _look(role, look) for role, look in found.items()})


PALETTES: dict[str, Palette] = {
    'room0': _palette(
        'wall efe9dc trim f7f5f0 paint e6dfd2 stone a7a29a metal 8f949b fabric 5f7186 pale f4f1ea ink 25272b bright c2573f vivid 3f6a8c '
        'leaf 3f7c45 sky bcdcf6',
        floor=('b98b5a', 'wood', '9b7149', 0.18), wood=('9b6e45', 'wood', '89603b', 0.16), rug=('a6513f', 'diamond', 'e6dabf', 0.30),
    ),
    'room1': _palette(
        'wall e4eaec trim f8f8f8 wood c59e70 paint 8298a6 metal b5b9bd fabric d8cfc0 rug b9a78c pale f6f6f4 ink 2a2c30 bright d98a4a '
        'vivid 4c7d74 leaf 4a8a4c sky c6e2f7',
        floor=('e2ded6', 'checker', 'a0a6ab', 0.40), stone=('5b5f66', 'speckle', '6d7178', 0.06),
    ),
    'room2': _palette(
        'trim f6f4ef wood b08d68 paint f0ede6 stone c4bcb0 metal 9a9da1 fabric 6d8a9c pale f7f4ee ink 2b2a2d bright d7a37c vivid 7a8fb0 '
        'leaf 557f4b sky cfe4f2',
        wall=('d8dde2', 'stripe', 'cdd4da', 0.16), floor=('c9a87e', 'wood', 'b29169', 0.20), rug=('e3dccf', 'zigzag', '8fa0ad', 0.22),
    ),
    'room3': _palette(
        'wall f0f0ee trim e2e3e4 wood cfae82 paint dcdedf stone 9a9c9f metal 6c7076 fabric 3f5873 rug 7b8794 pale f5f5f5 ink 1f2226 '
        'bright e08a3c vivid 3779a8 leaf 3e7d4c sky b6d9f4',
        floor=('8b9097', 'speckle', '787d84', 0.16),
    ),
    'room4': _palette(
        'wall ead9b8 trim f5efe2 paint 8a9a84 stone b3a690 metal 7d7568 fabric 9a4a3e pale f6efdf ink 2c2521 bright b5493a vivid 5c7650 '
        'leaf 47733d sky c8def0',
        floor=('8a5f3b', 'wood', '785132', 0.20), wood=('6e472c', 'wood', '603d25', 0.16), rug=('7c3b35', 'diamond', 'cdb58c', 0.34),
    ),
    'room5': _palette(
        'wall d5d3cd trim b9bab8 wood b7925f paint 5f7382 metal 80858a fabric 6a6f63 rug 565b52 pale ece9e1 ink 26282a bright c4452f '
        'vivid 2f6593 leaf 4f7d43 sky c4dcee',
        floor=('9c9a94', 'speckle', '8f8d87', 0.20), stone=('aaa79f', 'dot', '8a8780', 0.05),
    ),
    'room6': _palette(
        'wall dfe4dd trim f4f5f2 wood a98259 paint 3e4a52 stone 8f9691 metal 55595d fabric b5aa98 pale f2efe7 ink 202326 bright d0a24e '
        'vivid 5f8f86 leaf 3d7a4f sky bfdff2',
        floor=('d1b48c', 'wood', 'bc9e75', 0.22), rug=('4f6b70', 'ring', 'd6d9cf', 0.24),
    ),
    'room7': _palette(
        'trim f7f3ea wood dcbf94 paint c9d3c0 metal a8aaa9 fabric c4b79e rug 9aa48c pale f8f5ec ink 303230 bright c86b4a vivid 6d8f62 '
        'leaf 4d8549 sky cce6f5',
        wall=('f3ead6', 'brick', 'e9dfc7', 0.24), floor=('a9714f', 'brick', '8a583b', 0.36), stone=('e0dccf', 'marble', 'bdb7a6', 0.40),
    ),
    'room8': _palette(
        'wall d9cfc6 trim f3efe9 paint cdbfae stone a59a8e metal 8b8682 fabric 8a6f63 pale f4eee6 ink 2d2826 bright b88a5e vivid 6f7f8c '
        'leaf 5a7d4d sky d6e3ec',
        floor=('7b5a43', 'wood', '6b4d39', 0.18), wood=('8d694c', 'wood', '7c5b42', 0.16), rug=('cfc1ad', 'dot', '9b8672', 0.18),
    ),
    'room9': _palette(
        'wall e9edf0 trim d4d8db wood b6b0a4 paint f1f2f2 stone 7f868c metal 9fa5aa fabric 4f6f6c rug 6f7b82 pale f7f8f8 ink 23262b '
        'bright d9764a vivid 4a86a0 leaf 45835a sky b9dcf2',
        floor=('5f6d78', 'stripe', '55636d', 0.25),
    ),
    'room10': _palette(
        'trim f3f0e6 wood 5a3c29 paint e2d9c4 stone beb29c metal 6f6a60 fabric 4d6250 pale f5efe0 ink 241f1c bright c07f3c vivid 8c3f3a '
        'leaf 3f6d3c sky c9dfee',
        wall=('b9c2b0', 'stripe', 'aeb8a4', 0.20), floor=('bf9564', 'zigzag', 'a87f50', 0.24), rug=('95423a', 'diamond', 'd9c49c', 0.28),
    ),
    'room11': _palette(
        'wall c6c9c6 trim 9b9f9e wood a7855a paint 7c8a5c metal 6a6e70 fabric 7b7f84 rug 6b6f68 pale e4e2da ink 2a2d2e bright c9973d '
        'vivid 3f6f8f leaf 4f7f49 sky c2d6e4',
        floor=('83857f', 'marble', '6f716c', 0.50), stone=('93958f', 'grid', '7f817b', 0.08),
    ),
    'room12': _palette(
        'wall 9fb0bd trim f4f4f1 paint d6dde0 stone 8d9498 metal a49b8b fabric a5643f pale f3efe6 ink 26282b bright b8503c vivid 375a7f '
        'leaf 44774a sky d0e6f6',
        floor=('a27a50', 'wood', '8f6c45', 0.20), wood=('7f5837', 'wood', '704c2f', 0.16), rug=('3f587a', 'diamond', 'd9cfb6', 0.26),
    ),
    'room13': _palette(
        'wall f2efe8 trim fafaf7 wood 8f6c4b paint 46596a metal c3c5c6 fabric b9b3a6 rug 9c9484 pale f7f5f0 ink 1e2124 bright d1694a '
        'vivid 5b8a8c leaf 468150 sky c3e0f5',
        floor=('c3bcb0', 'checker', 'b7afa2', 0.50), stone=('e9e7e2', 'marble', 'c9c6be', 0.30),
    ),
    'room14': _palette(
        'trim fbfaf5 wood d9bb8c paint a8c0cc stone c9c4b8 metal b0b3b5 fabric 6f93b5 pale f8f5ec ink 2e3238 bright d9604c vivid 4f86b0 '
        'leaf 569050 sky bfe0f8',
        wall=('e6edf2', 'dot', 'd3dee8', 0.24), floor=('d8bb90', 'wood', 'c5a77b', 0.20), rug=('d98f5a', 'ring', 'efe3c8', 0.25),
    ),
    'room15': _palette(
        'wall e3e6e3 trim c9cdcc wood b98f62 paint bcc6c4 metal 9aa1a3 fabric 5c6a70 rug 6c7472 pale f3f5f3 ink 22272a bright cf8a3a '
        'vivid 3c7f86 leaf 438052 sky c0ddec',
        floor=('b7bdb9', 'checker', '9aa19d', 0.50), stone=('6a7172', 'speckle', '7b8283', 0.08),
    ),
    'room16': _palette(
        'trim f4e6ef paint d9b3d1 stone c7b8e8 metal e0bc38 fabric 6f3f73 pale fbd0e4 ink 3a1c4a bright e8709f vivid 8a5fc4 '
        'leaf 4aa06a sky f3d2b8',
        wall=('b08ab0', 'stripe', 'a67fa6', 0.18), floor=('4a2238', 'wood', '5c2d47', 0.20), wood=('8a3358', 'wood', '7b2b4e', 0.16),
        rug=('e8b8cf', 'swirl', '8a5fc4', 0.34),
    ),
    'room17': _palette(
        'trim f2efe2 wood cc6a22 paint 7fd6c9 metal f0a030 fabric 2b7a85 rug f0b46a pale bdf3e4 ink 0a2f4d bright ffb02e '
        'vivid 1ab4d0 leaf 2aa876 sky fbe3c4',
        wall=('2f9a94', 'diamond', '269490', 0.22), floor=('0f4a58', 'checker', '1c5f6b', 0.40),
        stone=('0e6e6e', 'speckle', '12827e', 0.06),
    ),
    'room18': _palette(
        'trim fbf0dc wood e8b020 paint f7e07a stone f0602a metal 7a1a1a fabric b8402a pale fff2b0 ink 4a1410 bright ff5a36 '
        'vivid ff9248 leaf 8fae2e sky fcd8c0',
        wall=('f0966a', 'brick', 'f5a983', 0.30), floor=('8f2f1c', 'checker', 'a83c14', 0.40), rug=('f5d060', 'ring', 'c8481e', 0.30),
    ),
    'room19': _palette(
        'trim f1f6e2 wood 6f8420 paint bfe57a stone 37a04a metal c8cc3a fabric 3f8a5c rug d6e27a pale e4f7b8 ink 0c3a1c bright eaf25a '
        'vivid 1fc06a leaf 7cc242 sky eef8dc',
        wall=('a9cf5a', 'zigzag', 'a0c651', 0.26), floor=('1f5230', 'wood', '1f5f32', 0.18),
    ),
}  # fmt: skip
"""All palettes, by the name of their room."""
