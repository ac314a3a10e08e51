"""A person at the page who sees where the tool is: begins an episode, and leads the tool to a pose."""

import time

import numpy as np
from playwright.sync_api import expect
from transforms3d import quaternions

from vlm_bench_sim.core.geometry import Pose
from vlm_bench_tasks.dashboard.orbit import Orbit

AZIMUTH = Orbit().azimuth
DOWN = (1.0, 0.0, 0.0, 0.0)
WAYS = ('KeyD', 'KeyA'), ('KeyW', 'KeyS'), ('KeyE', 'KeyQ'), ('KeyI', 'KeyK'), ('KeyO', 'KeyU'), ('KeyJ', 'KeyL')
"""Keys of both directions: right, away and up, and about them."""

NEAR, NEAR_TURN = 0.05, 0.2
"""Nearer than this, m and rad, keys are tapped: on a busy machine the page shows a held key's motion late."""

_LONGEST_S = 90.0


def begin(page, task, *, seed=1000, **words):
    """Begin an episode and take the arm."""
    expect(page.locator('#ask-task option')).not_to_have_count(0)
    page.select_option('#ask-task', task)
    for name, value in words.items():
        page.select_option(f'#ask-{name}', value)
    page.fill('#ask-seed', str(seed))
    expect(page.locator('#panels[data-token]')).to_be_attached()
    before = page.locator('#panels').get_attribute('data-token')  # another one may run
    page.get_by_role('button', name='Begin').click()
    expect(page.locator('#panels')).not_to_have_attribute('data-token', before, timeout=60_000)
    expect(page.locator('#clock')).to_contain_text('running', timeout=60_000)
    expect(page.locator('.instruction')).not_to_have_text('')
    page.fill('#operator', 'anna')
    page.locator('main').focus()
    page.keyboard.press('r')
    expect(page.locator('body.driving')).to_be_attached()
    expect(page.locator('.handle .middle')).to_be_visible()
    rest(page)


def above(page, point):
    """Point at a place, and go above it on a planned path."""
    page.mouse.dblclick(*place(page, point))
    expect(page.locator('#drive-go')).to_be_enabled()
    go(page)


def hand(page, says):
    """Close or open the hand, until the button says the contrary."""
    page.keyboard.press('Space')
    expect(page.locator('#drive-hand')).to_have_text(says)


def go(page):
    """Go to where the handle stands, on a planned path."""
    page.keyboard.press('Enter')
    expect(page.locator('#drive-go')).to_be_disabled()
    expect(page.locator('#drive-hand')).to_be_enabled()  # it has arrived
    assert page.locator('.alert').count() == 0, page.locator('.alert').inner_text()


def place(page, point):
    """Return where a point of the world is seen on the page, in the free view as it stands first."""
    box = page.locator('.picture canvas').bounding_box()
    camera = Orbit().camera(640, 480)
    seen = camera.pose.inverse().apply([point])[0]
    scale = min(box['width'] / 640, box['height'] / 480)
    x, y = (camera.focal * seen[i] / seen[2] * scale for i in range(2))
    return np.array([box['x'] + box['width'] / 2 + x, box['y'] + box['height'] / 2 + y])


def turn_ring(page, middle, axis, angle):
    """Turn the handle, which stands at `middle`, by one of its rings (x, y or z), rad."""
    centre = place(page, middle)
    eye = Orbit().camera(640, 480).pose.position
    sense = -1 if np.subtract(eye, middle)['xyz'.index(axis)] > 0 else 1  # on the page y points down
    start = np.array(page.locator(f'.handle .ring.{axis} .wide').evaluate(
        """(path) => {
            const screen = path.getScreenCTM();
            for (let i = 0; i < 200; i += 1) {
                const { x, y } = path.getPointAtLength((i / 200) * path.getTotalLength()).matrixTransform(screen);
                if (document.elementFromPoint(x, y)?.parentNode === path.parentNode) return [x, y];
            }
            return null;
        }"""))  # fmt: skip
    off = start - centre

    def at(share):
        turn = sense * angle * share
        return np.add(centre, (off[0] * np.cos(turn) - off[1] * np.sin(turn), off[0] * np.sin(turn) + off[1] * np.cos(turn)))

    drag(page, [at(share) for share in np.linspace(0, 1, 9)])


def pull_arrow(page, middle, axis, metres, *, holding=lambda: None):
    """Pull the handle, which stands at `middle`, along one of its arrows; `holding` is done before it is let go."""
    along = np.eye(3)['xyz'.index(axis)]
    way = (place(page, middle + 0.01 * along) - place(page, middle)) / 0.01  # px for each metre
    box = page.locator(f'.handle .arrow.{axis} .tip').bounding_box()
    start = np.array([box['x'] + box['width'] / 2, box['y'] + box['height'] / 2])
    drag(page, [start + way * metres * share for share in np.linspace(0, 1, 5)], holding)


def drag(page, places, holding=lambda: None):
    """Press, move and let go."""
    page.mouse.move(*places[0])
    page.mouse.down()
    for each in places[1:]:
        page.mouse.move(*each)
    holding()
    page.mouse.up()


def tool(page):
    """Return the pose of the tool that the page shows."""
    said = page.locator('#drive-tool').evaluate('box => [box.dataset.position, box.dataset.orientation]')
    return Pose.of(*[[float(part) for part in text.split(',')] for text in said])


def missing(page, target):
    """Return what is missing right, away and up, m, and about these directions, rad."""
    now = tool(page)
    axis, angle = quaternions.quat2axangle(quaternions.mat2quat(target.rotation @ now.rotation.T))
    turn = np.multiply(axis, (angle + np.pi) % (2 * np.pi) - np.pi)
    sin, cos = np.sin(AZIMUTH), np.cos(AZIMUTH)
    picture = np.array([[-sin, cos, 0], [-cos, -sin, 0], [0, 0, 1]])
    return picture @ np.subtract(target.position, now.position), picture @ turn


def lower(page, point, *, within=0.004, turn=0.03):
    """Lead the tool, which points down, to the upright above a place, and then straight down to it: what stands there is not struck."""
    x, y, _ = point
    steer(page, Pose.of((x, y, tool(page).position[2]), DOWN), turn=turn)
    steer(page, Pose.of(point, DOWN), within=within, turn=turn, slowly=True)


def touch_down(page):
    """Tap the tool slowly down until it sinks no farther: cups seal only on what they touch."""
    for _ in range(6):
        before = tool(page).position[2]
        page.keyboard.down('ShiftLeft')
        page.keyboard.press('KeyQ', delay=60)
        page.keyboard.up('ShiftLeft')
        rest(page)
        if before - tool(page).position[2] < 0.0005:
            return
    raise AssertionError('The tool meets nothing.')


def steer(page, target, *, within=0.004, turn=0.03, slowly=False, over=lambda: False):
    """Hold keys until the tool is near a pose, and then tap them until it is there, or it is over."""
    held = set()

    def hold(wanted):
        for key in held - wanted:
            page.keyboard.up(key)
        for key in wanted - held:
            page.keyboard.down(key)
        held.clear()
        held.update(wanted)

    until = time.monotonic() + _LONGEST_S
    while time.monotonic() < until:
        off, about = missing(page, target)
        sizes = [*(off / within), *(about / turn)]
        near = max(abs(off)) < NEAR and max(abs(about)) < NEAR_TURN
        if max(map(abs, sizes)) <= 1.0 or over():
            hold(set())
            rest(page)
            off, about = missing(page, target)
            if over() or max(map(abs, (*(off / within), *(about / turn)))) <= 1.0:
                return
        hold(
            {ways[0 if size > 0 else 1] for ways, size in zip(WAYS, sizes, strict=True) if abs(size) > 0.7}
            | ({'ShiftLeft'} if near or slowly else set())
        )
        time.sleep(0.06 if near else 0.03)
        if near:
            hold(set())
            rest(page)
    hold(set())
    raise AssertionError(f'The tool stays {off} m and {about} rad away.')


def rest(page):
    """Wait until the tool stands."""
    before = None
    while (now := tool(page)) != before:
        before = now
        time.sleep(0.12)


def slide(page, target, *, within=0.003):
    """Slide the handle over the table by its middle, and hold it until the tool is there."""
    middle = tool(page).position
    level = (*target[:2], middle[2])

    def arrives():
        until = time.monotonic() + 30
        while tool(page).distance(Pose(level)) > within and time.monotonic() < until:
            time.sleep(0.05)

    drag(page, [place(page, middle), place(page, level)], arrives)
    rest(page)
