//! The measures of a label together with another one that may be its head.
//!
//! Candidates are sifted by a few measures ([`Scene::glance`]); what is left is measured in full ([`Scene::row`]): what each
//! label is, the positions of both in the boxes that hold them, and the decisions of the rules. Being at the top is
//! measured like a candidate, too: comparisons of two labels are then [`NOTHING`].

use crate::measures::MeasureSink;

use super::boxes::{Branch, Meeting};
use super::scene::{NOTHING, Scene, TRAITS, of_kind, of_word};
use crate::partition::outline::skeleton::NONE;

/// For differences, which may be -1, if there is nothing to compare.
const NO_DIFFERENCE: f32 = -1000.0;

fn number(of: Option<f32>) -> f32 {
    of.unwrap_or(NOTHING)
}

fn flag(of: Option<bool>) -> f32 {
    of.map_or(NOTHING, |is_so| f32::from(u8::from(is_so)))
}

impl Scene<'_> {
    /// Names the measures of [`Scene::row`], on two items of a page.
    pub(super) fn name(&self, item: u32, head: u32, sink: &mut impl MeasureSink) {
        let meeting = Some(self.boxes.meet(item, head));
        self.measure_traits("label ", item, sink);
        self.measure_traits("head ", head, sink);
        self.compare(item, Some(head), meeting, sink);
        self.glance(item, Some(head), meeting, sink);
    }

    /// Measures an item and a candidate in full.
    pub(super) fn row(&self, item: u32, head: Option<u32>, row: &mut Vec<f32>) {
        let meeting = head.map(|head| self.boxes.meet(item, head));
        row.extend_from_slice(self.traits(item));
        match head {
            Some(head) => row.extend_from_slice(self.traits(head)),
            None => row.extend([NOTHING; TRAITS]),
        }
        self.compare(item, head, meeting, row);
        self.glance(item, head, meeting, row);
    }

    /// The measures that sift candidates.
    pub(super) fn glance(
        &self,
        item: u32,
        head: Option<u32>,
        meeting: Option<Meeting>,
        sink: &mut impl MeasureSink,
    ) {
        let (at, up) = (self.label_of(item), head.map(|head| self.label_of(head)));
        let count = self.boxes.items.len().max(1) as f32;
        sink.add("distance", head.map_or(NO_DIFFERENCE, |head| item as f32 - head as f32));
        sink.add("label strength", self.rank(item));
        sink.add("head strength", number(head.map(|head| self.rank(head))));
        sink.add("strength more", head.map_or(NO_DIFFERENCE, |head| self.rank(item) - self.rank(head)));
        sink.add("head length", number(up.map(|up| self.evidence.labels[up].words as f32)));
        sink.add("same style", flag(head.map(|head| self.style(item) == self.style(head))));
        sink.add("same mark", flag(head.map(|head| self.mark_style(item) == self.mark_style(head))));
        let between = head.map(|head| self.ranks.strongest(head.min(item) + 1, head.max(item)));
        sink.add(
            "between against label",
            between.map_or(NO_DIFFERENCE, |rank| f32::from(rank) - self.rank(item)),
        );
        let meet = meeting.and_then(|meeting| self.boxes.get(meeting.at));
        sink.add("meet share", number(meeting.map(|_| meet.map_or(1.0, |meet| meet.items() as f32 / count))));
        sink.add("meet branches", number(meet.map(|meet| meet.branches as f32)));
        sink.add("meet up", number(meeting.map(|meeting| meeting.up[0] as f32)));
        sink.add("meet up of head", number(meeting.map(|meeting| meeting.up[1] as f32)));
        let against = head.zip(meet).map(|(head, meet)| self.rank(head) - f32::from(meet.rank));
        sink.add("head against meet", number(against));
        for (at, who) in ["label", "head"].iter().enumerate() {
            let range = meeting.map(|meeting| self.boxes.range(meeting.branches[at]));
            sink.add(format_args!("{who} branch"), number(range.map(|(lo, hi)| (hi - lo) as f32)));
        }
        let other = meeting.map(|meeting| meeting.branches[1]);
        sink.add("head branch strength", number(other.map(|branch| f32::from(self.branch_rank(branch)))));
        let place = head.zip(other).map(|(head, other)| (head - self.boxes.range(other).0) as f32);
        sink.add("head in its branch", number(place));
        let above = self.forest.parent[at];
        sink.flag("rule top", above == NONE);
        sink.flag("rule says", up.map_or(NONE, |up| up as u32) == above);
        sink.add("rule above", number(up.map(|up| self.steps(up as u32, at as u32))));
        sink.add("rule siblings", flag(up.map(|up| self.forest.parent[up] == above)));
        sink.add("rule share of head", number(up.map(|up| self.tree.size(up as u32) as f32 / count)));
        let votes = head.map(|head| self.votes(item, head) / self.uses(self.style(item)));
        sink.add("rule votes of style", number(votes));
    }

    /// How many labels up one is above the other by the rules; 0 if it is not.
    fn steps(&self, above: u32, label: u32) -> f32 {
        match self.tree.is_above(above, label) {
            true => (self.tree.depth(label) - self.tree.depth(above)) as f32,
            false => 0.0,
        }
    }

    /// The other measures that compare both labels.
    fn compare(&self, item: u32, head: Option<u32>, meeting: Option<Meeting>, sink: &mut impl MeasureSink) {
        sink.flag("top", head.is_none());
        sink.add("place on page", item as f32 / self.boxes.items.len().max(1) as f32);
        sink.add("labels", self.boxes.items.len() as f32);
        self.texts(item, head, sink);
        self.meeting(head, meeting, sink);
        for (at, who) in ["label", "head"].into_iter().enumerate() {
            self.branch(who, meeting.map(|meeting| meeting.branches[at]), sink);
        }
        self.branches(head, meeting, sink);
        self.rules(item, head, sink);
    }

    fn texts(&self, item: u32, head: Option<u32>, sink: &mut impl MeasureSink) {
        let labels = &self.evidence.labels;
        let (at, up) = (&labels[self.label_of(item)], head.map(|head| &labels[self.label_of(head)]));
        sink.add("same target", flag(up.map(|up| at.target != NONE && at.target == up.target)));
        sink.add("words more", up.map_or(NO_DIFFERENCE, |up| up.words as f32 - at.words as f32));
        let between = head.map(|head| f32::from(self.ranks.strongest(head.min(item) + 1, head.max(item))));
        sink.add("strongest between", number(between));
        let against = between.zip(head).map(|(between, head)| between - self.rank(head));
        sink.add("between against head", against.unwrap_or(NO_DIFFERENCE));
    }

    /// The box in which both come together.
    fn meeting(&self, head: Option<u32>, meeting: Option<Meeting>, sink: &mut impl MeasureSink) {
        let meet = meeting.and_then(|meeting| self.boxes.get(meeting.at));
        let all = self.boxes.items.len() as f32;
        sink.add("meet", number(meeting.map(|_| meet.map_or(all, |meet| meet.items() as f32))));
        sink.add("meet strength", number(meet.map(|meet| f32::from(meet.rank))));
        let element = meet.map(|meet| self.evidence.skeleton.get(meet.inner));
        sink.add("meet kind", number(element.map(|element| of_kind(element.kind))));
        sink.add("meet is record", flag(element.map(|element| element.is_record)));
        let meet_at = meeting.map(|meeting| meeting.at).filter(|&at| at != NONE);
        let twins = meet_at.map(|at| self.boxes.twins_of(self.evidence, Branch::Box(at)) as f32);
        sink.add("meet twins", number(twins));
        sink.add("head in meet", number(head.zip(meet).map(|(head, meet)| (head - meet.lo) as f32)));
        sink.add("head is best in meet", flag(head.zip(meet).map(|(head, meet)| meet.best == head)));
    }

    /// The branch of that box in which one of them is.
    fn branch(&self, who: &str, branch: Option<Branch>, sink: &mut impl MeasureSink) {
        let twins = branch.map(|branch| self.boxes.twins_of(self.evidence, branch) as f32);
        sink.add(format_args!("{who} branch twins"), number(twins));
        let place = branch.map(|branch| self.boxes.place_of(branch) as f32);
        sink.add(format_args!("{who} branch place"), number(place));
        let element = branch.and_then(|branch| self.element(branch));
        sink.add(format_args!("{who} branch kind"), number(element.map(|element| of_kind(element.kind))));
        let word = element.and_then(|element| element.word);
        sink.add(format_args!("{who} branch word"), number(word.map(of_word)));
        sink.add(format_args!("{who} branch is record"), flag(element.map(|element| element.is_record)));
    }

    /// How these two branches compare.
    fn branches(&self, head: Option<u32>, meeting: Option<Meeting>, sink: &mut impl MeasureSink) {
        let branches = meeting.map(|meeting| meeting.branches);
        let apart = branches
            .map(|[mine, other]| self.boxes.place_of(mine) as f32 - self.boxes.place_of(other) as f32);
        sink.add("branches apart", apart.unwrap_or(NO_DIFFERENCE));
        let sig = |branch| self.element(branch).map(|element| element.sig);
        let alike = branches.map(|[mine, other]| sig(mine).is_some() && sig(mine) == sig(other));
        sink.add("branches alike", flag(alike));
        let rank = |of: usize| branches.map(|branches| f32::from(self.branch_rank(branches[of])));
        let head = head.map(|head| self.rank(head));
        sink.add("label branch strength", number(rank(0)));
        sink.add("head against its branch", number(head.zip(rank(1)).map(|(head, branch)| head - branch)));
        let against = rank(0).zip(head).map(|(branch, head)| branch - head);
        sink.add("label branch against head", against.unwrap_or(NO_DIFFERENCE));
    }

    /// The other measures of the rules' outline.
    fn rules(&self, item: u32, head: Option<u32>, sink: &mut impl MeasureSink) {
        let (at, up) = (self.label_of(item), head.map(|head| self.label_of(head)));
        let above = Some(self.forest.parent[at]).filter(|&above| above != NONE);
        let share = |label: u32| self.tree.size(label) as f32 / self.evidence.labels.len() as f32;
        sink.add("rule depth", self.tree.depth(at as u32) as f32);
        sink.add("rule share of rule head", number(above.map(share)));
        let rank = above.map(|above| f32::from(self.forest.ranks[above as usize]));
        sink.add("rule head strength", number(rank));
        sink.add("rule children of head", number(up.map(|up| self.forest.children[up] as f32)));
        sink.add("rule labels of head", number(up.map(|up| self.tree.size(up as u32) as f32)));
        sink.add("rule votes", number(head.map(|head| self.votes(item, head))));
    }
}
